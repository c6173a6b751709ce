import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  openStorage,
  type StoredEntity,
  type TableStorage,
  type WriteOperation,
} from "../../../src/index.ts";
import { systemClock } from "../../../src/rest.ts";
import { checksumOf } from "../../../src/adapters/embedded/stored-row.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function memory(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await storage.createTable("Things");
  return storage;
}

const key = { PartitionKey: "p", RowKey: "r" };
const insert = (properties: object, rowKey = "r"): WriteOperation => ({
  type: "insert",
  entity: { ...key, RowKey: rowKey, ...properties },
});
const read = (storage: TableStorage): Promise<StoredEntity | undefined> =>
  storage.get("Things", { partitionKey: "p", rowKey: "r" });

test("tables created at once do not disturb each other, also when one exists", async () => {
  await using storage = await memory();

  const results = await Promise.allSettled(
    ["Things", "Alpha", "Beta"].map((table) => storage.createTable(table)),
  );

  expect(results.map((result) => result.status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(await storage.listTables()).toEqual(["Alpha", "Beta", "Things"]);
});

test("a transaction is measured by its real bytes", async () => {
  await using storage = await memory();
  const properties = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`P${i}`, "x".repeat(32_000)]));

  await storage.transact(
    "Things",
    Array.from({ length: 8 }, (_, i) => insert(properties, `r${i}`)),
  );
  await expect(
    storage.transact(
      "Things",
      Array.from({ length: 9 }, (_, i) => insert(properties, `s${i}`)),
    ),
  ).rejects.toMatchObject({
    serviceCode: "RequestBodyTooLarge",
  });
});

test("an entity that changes after the call is stored as it was", async () => {
  await using storage = await memory();
  const entity: Record<string, string> = { ...key, A: "before" };
  const writing = storage.write("Things", { type: "insert", entity: entity as never });
  entity["A"] = "after";
  await writing;

  expect((await read(storage))?.["A"]).toBe("before");
});

test("absent values, system values and stray annotations are left out", async () => {
  await using storage = await memory();
  await storage.write(
    "Things",
    insert({ A: undefined, B: null, "odata.x": "y", "C@odata.type": "Edm.Int64", "D@x": 1, E: 1 }),
  );

  const { Timestamp: _t, "odata.etag": _e, ...rest } = (await read(storage)) as StoredEntity;
  expect(rest).toEqual({ ...key, E: 1 });
});

test.each([
  { A: Number.NaN },
  { A: "1e999", "A@odata.type": "Edm.Double" },
  { A: "AAA", "A@odata.type": "Edm.Binary" },
  { A: "9223372036854775808", "A@odata.type": "Edm.Int64" },
])("refuses %j, which could not be read back", async (properties) => {
  await using storage = await memory();

  await expect(storage.write("Things", insert(properties))).rejects.toMatchObject({
    serviceCode: "InvalidInput",
  });
});

test.each([0, -1, 1.5, 1001])("refuses a page of %d", async (top) => {
  await using storage = await memory();

  await expect(storage.query("Things", { top })).rejects.toMatchObject({ serviceCode: "InvalidInput" });
});

test("text that is no ETag is malformed; another store's ETag is not the current one", async () => {
  await using storage = await memory();
  const merge = (etag: string): Promise<unknown> =>
    storage.write("Things", { type: "merge", entity: key, etag });

  await expect(merge("nonsense")).rejects.toMatchObject({ status: 400 });
  await storage.write("Things", insert({}));
  await expect(merge('W/"0x5B168C7B6E589D2"')).rejects.toMatchObject({ status: 412 });
});

test("an unknown operation is refused", async () => {
  await using storage = await memory();

  await expect(storage.write("Things", { type: "patch", entity: key } as never)).rejects.toMatchObject({
    status: 400,
  });
  await expect(storage.transact("Things", [null] as never)).rejects.toBeInstanceOf(Error);
});

test.each([Number.NaN, Date.UTC(2300, 0), Number.POSITIVE_INFINITY, -1])(
  "a clock of %d spoils nothing",
  async (now) => {
    await using storage = await openStorage("memory:", { clock: { ...systemClock, now: () => now } });
    await storage.createTable("Things");
    const { etag = "" } = await storage.write("Things", insert({}));
    await storage.write("Things", { type: "merge", entity: { ...key, A: 1 }, etag });

    expect((await read(storage))?.["A"]).toBe(1);
  },
);

test("a row whose text is damaged is told as damaged, and spoils no neighbour", async () => {
  const path = join(folder, "x.db");
  {
    await using storage = await openStorage(`file:${path}`);
    await storage.createTable("Things");
    await storage.write("Things", insert({}));
  }
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE rows1 SET body = '{ secret'");
  raw.close();
  await using storage = await openStorage(`file:${path}`);

  const [merge, other] = await Promise.allSettled([
    storage.write("Things", { type: "merge", entity: { ...key, A: 1 }, etag: "*" }),
    storage.write("Things", insert({}, "other")),
  ]);

  expect(merge).toMatchObject({ status: "rejected", reason: { code: "storage.damaged" } });
  expect(other.status).toBe("fulfilled");
  await expect(read(storage)).rejects.toMatchObject({ code: "storage.damaged" });
});

test("a page of large entities stays within a few mebibytes", async () => {
  await using storage = await memory();
  const properties = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`P${i}`, "x".repeat(30_000)]));
  for (let i = 0; i < 60; i++) await storage.write("Things", insert(properties, `r${i}`));

  const page = await storage.query("Things", {});

  expect(page.entities.length).toBeLessThan(60);
  expect(page.next).toBeDefined();
});

test("closing answers what was accepted, and twice is once", async () => {
  const storage = await memory();
  const writing = storage.write("Things", insert({}));
  const reading = storage.query("Things", {});
  const closing = [storage.close(), storage.close()];

  expect(await Promise.allSettled([writing, reading, ...closing])).toMatchObject(
    Array(4).fill({ status: "fulfilled" }),
  );
});

test("a page shows one state of the table, whatever other processes write", async () => {
  const path = join(folder, "snapshot.db");
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  for (let from = 0; from < 1000; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => insert({ V: 0 }, String(from + i).padStart(4, "0"))),
    );
  const other = new DatabaseSync(path, { timeout: 5000 });
  const sample = [0, 450, 700, 999];
  let version = 0;
  for (let round = 0; round < 50; round++) {
    const reading = storage.query("Things", {});
    other.exec("BEGIN IMMEDIATE");
    version++;
    for (const i of sample) {
      const rk = String(i).padStart(4, "0");
      const { ts } = other.prepare("SELECT ts FROM rows1 WHERE rk = ?").get(rk) as { ts: number };
      const body = `{"V":${version}}`;
      other
        .prepare("UPDATE rows1 SET body = ?, crc = ? WHERE rk = ?")
        .run(body, checksumOf("p", rk, ts, body), rk);
    }
    other.exec("COMMIT");
    const { entities } = await reading;
    expect(new Set(sample.map((i) => entities[i]?.["V"])).size).toBe(1);
  }
  other.close();
});
