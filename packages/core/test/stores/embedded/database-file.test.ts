import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { chmod, open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { openStorage, type StorageError } from "../../../src/index.ts";
import type { WriteOperation } from "../../../src/storage.ts";
import { insert, key, read } from "./things.ts";

const inFolder = folderOfEachTest();

const file = (name = "test.db"): string => inFolder(name);
const rejection = async (promise: Promise<unknown>): Promise<StorageError> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: StorageError) => error,
  );

const row = (rowKey: string): { type: "insert"; entity: { PartitionKey: string; RowKey: string } } => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: rowKey },
});

async function filled(path: string): Promise<void> {
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  for (let i = 0; i < 50; i++) await storage.write("Things", row(`r${i}`));
}

test("data is there again after reopening, and ETags keep rising", async () => {
  const first = await openStorage(`file:${file()}`, { clock: virtualClock(2_000_000_000_000) });
  await first.createTable("Things");
  const { etag = "" } = await first.write("Things", row("a"));
  await first.close();

  await using second = await openStorage(`file:${file()}`, { clock: virtualClock(1_000_000_000_000) });
  const stored = await second.get("Things", { partitionKey: "p", rowKey: "a" });
  const later = await second.write("Things", row("b"));

  expect(stored?.["odata.etag"]).toBe(etag);
  expect((later.etag ?? "") > etag).toBe(true);
});

test("the file is readable by its owner only", async () => {
  await filled(file());

  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test("the file is in WAL mode, so that readers never wait for writers", async () => {
  await filled(file());
  const header = await readFile(file());

  expect(header.subarray(0, 15).toString()).toBe("SQLite format 3");
  expect([header.readUInt8(18), header.readUInt8(19)]).toEqual([2, 2]);
});

test("a closed storage refuses work and says so", async () => {
  const storage = await openStorage("memory:");
  await storage.close();

  expect(await rejection(storage.listTables())).toMatchObject({ code: "storage.closed", applied: "no" });
  await storage.close();
});

test("an unknown target is refused without repeating it", async () => {
  const error = await rejection(openStorage("postgres://user:secret@host"));

  expect(error.code).toBe("storage.unknown-target");
  expect(error.message).not.toContain("secret");
});

test("a folder that does not exist, and a folder instead of a file", async () => {
  expect(await rejection(openStorage(`file:${inFolder("none", "x.db")}`))).toMatchObject({
    code: "storage.cannot-open",
  });
  expect(await rejection(openStorage(`file:${inFolder()}`))).toMatchObject({ code: "storage.cannot-open" });
});

test("a folder that may not be written", async () => {
  // The superuser may write anywhere but into the kernel's own file systems.
  const isSuperuser = process.getuid?.() === 0;
  const readOnly = isSuperuser ? "/sys/kernel" : inFolder();
  if (!isSuperuser) await chmod(inFolder(), 0o500);

  const error = await rejection(openStorage(`file:${join(readOnly, "x.db")}`));
  if (!isSuperuser) await chmod(inFolder(), 0o700);

  expect(error.code).toBe("storage.read-only");
  expect(error.message).toMatch(/read-only.*Choose a folder/);
});

test("a file that is no database, and another program's database", async () => {
  await writeFile(
    file("text.db"),
    "This is a letter and no database, and it is long enough to be read as a header.\n".repeat(20),
  );
  const foreign = new DatabaseSync(file("foreign.db"));
  foreign.exec("CREATE TABLE mine (x)");
  foreign.close();

  expect(await rejection(openStorage(`file:${file("text.db")}`))).toMatchObject({
    code: "storage.not-a-database",
  });
  expect(await rejection(openStorage(`file:${file("foreign.db")}`))).toMatchObject({
    code: "storage.not-a-database",
  });
  expect((await readFile(file("text.db"), "utf8")).startsWith("This is a letter")).toBe(true);
});

test("a file of a newer version is refused and left alone", async () => {
  await filled(file());
  const newer = new DatabaseSync(file());
  newer.exec("PRAGMA user_version = 99");
  newer.close();

  const error = await rejection(openStorage(`file:${file()}`));

  expect(error.code).toBe("storage.newer-format");
  expect(error.message).toMatch(/format 99.*Update the library/);
});

test("a damaged file is told as damaged, on open or on the first read", async () => {
  await filled(file());
  const handle = await open(file(), "r+");
  const { size } = await handle.stat();
  for (let at = 4096; at < size; at += 64) await handle.write(Buffer.alloc(64, 0xa5), 0, 64, at);
  await handle.close();

  const error = await rejection(
    (async () => {
      await using storage = await openStorage(`file:${file()}`);
      await storage.query("Things", {});
    })(),
  );

  expect(error.code).toBe("storage.damaged");
});

test("a file that another process locks is busy after the time allowed, and free afterwards", async () => {
  await filled(file());
  await using storage = await openStorage(`file:${file()}`, { busyTimeoutMs: 100 });
  const other = new DatabaseSync(file());
  other.exec("BEGIN IMMEDIATE");

  const error = await rejection(storage.write("Things", row("late")));
  expect(error).toMatchObject({ code: "storage.server-busy", status: 503, applied: "no" });
  expect(error.message).toMatch(/locked by another process/);
  expect((await storage.query("Things", {})).entities).toHaveLength(50);

  other.exec("ROLLBACK");
  other.close();
  await storage.write("Things", row("late"));
});

test.each([
  ["a format before the first release", "PRAGMA application_id = 0x50617274; PRAGMA user_version = 7"],
  ["no format", "PRAGMA user_version = 0"],
])("a file of %s is refused with what to do, and left alone", async (_name, change) => {
  await filled(file());
  const raw = new DatabaseSync(file());
  raw.exec(change);
  raw.close();
  const before = await readFile(file());

  const error = await rejection(openStorage(`file:${file()}`));

  expect(error).toMatchObject({ code: "storage.older-format", applied: "no" });
  expect(error.message).toMatch(/Export it with the version that wrote it/);
  expect(await readFile(file())).toEqual(before);
});

test("a file holds each key once, whichever connection writes it", async () => {
  const storages = await Promise.all([1, 2, 3].map(() => openStorage(`file:${file()}`)));
  await storages[0]?.createTable("Keys");
  const types = ["insert", "upsert-merge", "upsert-replace"] as const;
  const writes = Array.from({ length: 40 }, (_, i) =>
    storages.flatMap((storage, s) =>
      types.map((type) =>
        storage.write("Keys", { type, entity: { PartitionKey: "k", RowKey: `${i}`, n: s } }).then(
          () => type,
          (error: StorageError) => error.serviceCode,
        ),
      ),
    ),
  );
  const responses = (await Promise.all(writes.flat())).filter((response) => response !== undefined);
  const refused = responses.filter((response) => response === "EntityAlreadyExists").length;

  expect(responses.length).toBe(40 * 9);
  expect(responses.filter((response) => response === "insert").length + refused).toBe(40 * 3);
  const raw = new DatabaseSync(file());
  expect(raw.prepare("SELECT count(*) AS n FROM rows1 WHERE pk = 'k'").get()).toEqual({ n: 40 });
  expect(() => raw.exec("INSERT INTO rows1 VALUES (NULL, 'k', '0', 1, x'7b7d', 1, 0)")).toThrow("UNIQUE");
  raw.close();
  for (const storage of storages) await storage.close();
});

test("a row whose text is damaged is told as damaged, and spoils no neighbour", async () => {
  const path = inFolder("x.db");
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

test.each(["merge", "replace", "delete"] as const)(
  "a row whose version is damaged is damaged, and no conflict, to a %s under its ETag",
  async (type) => {
    const path = inFolder("version.db");
    let etag = "";
    {
      await using storage = await openStorage(`file:${path}`);
      await storage.createTable("Things");
      etag = String((await storage.write("Things", insert({}))).etag);
    }
    const raw = new DatabaseSync(path);
    raw.exec("UPDATE rows1 SET ts = ts + 1");
    raw.close();
    await using storage = await openStorage(`file:${path}`);
    const { PartitionKey: partitionKey, RowKey: rowKey } = key;
    const operation: WriteOperation =
      type === "delete" ? { type, key: { partitionKey, rowKey }, etag } : { type, entity: key, etag };

    await expect(storage.write("Things", operation)).rejects.toMatchObject({ code: "storage.damaged" });
    await expect(storage.transact("Things", [operation, insert({}, "other")])).rejects.toMatchObject({
      code: "storage.damaged",
    });
  },
);
