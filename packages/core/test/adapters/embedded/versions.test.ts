import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { virtualClock } from "@partita/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEmbedded } from "../../../src/adapters/embedded/embedded-storage.ts";
import { checksumOfText } from "../../../src/adapters/embedded/row-checksum.ts";
import { etagOf } from "../../../src/adapters/embedded/stored-row.ts";
import {
  openStorage,
  type StoredEntity,
  type TableStorage,
  type WriteOperation,
} from "../../../src/index.ts";
import { systemClock } from "../../../src/rest.ts";
import { insert, key } from "./things.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(() => rm(folder, { recursive: true }));

const at = (storage: TableStorage, rowKey: string): Promise<StoredEntity | undefined> =>
  storage.get("Things", { partitionKey: "p", rowKey });
const timeOf = (row: StoredEntity | undefined): number => Date.parse(String(row?.Timestamp));

const etagAfter = async (storage: TableStorage, operation: WriteOperation): Promise<string> =>
  String((await storage.write("Things", operation)).etag);

const day = 86_400_000;
const today = Date.UTC(2026, 0, 1);

test.each(["memory:", "file:"])(
  "over %s, one wrong clock spoils the Timestamps of its own writes, and no later one",
  async (kind) => {
    let now = today;
    const clock = { ...systemClock, now: () => now };
    await using storage = await openEmbedded(kind === "file:" ? join(folder, "a.db") : ":memory:", { clock });
    await storage.createTable("Things");
    const etags = [await etagAfter(storage, insert({}, "before"))];
    now = today + 400 * day;
    etags.push(await etagAfter(storage, insert({}, "wrong")));
    now = today + 1000;
    etags.push(await etagAfter(storage, insert({}, "after")));
    now = today + 2000;
    etags.push(await etagAfter(storage, { type: "merge", entity: { ...key, RowKey: "before" }, etag: "*" }));

    expect(timeOf(await at(storage, "wrong"))).toBe(today + 400 * day);
    expect(timeOf(await at(storage, "after"))).toBe(today + 1000);
    expect(timeOf(await at(storage, "before"))).toBe(today + 2000);
    const { entities } = await storage.query("Things", {
      filter: {
        op: "lt",
        name: "Timestamp",
        literal: { edm: "Edm.DateTime", value: "2026-01-02T00:00:00Z" },
      },
    });
    expect(entities.map(({ RowKey }) => RowKey)).toEqual(["after", "before"]);
    // ETags rise all the same, and are those that reads return.
    expect(etags.toSorted()).toEqual(etags);
    expect((await at(storage, "after"))?.["odata.etag"]).toBe(etags[2]);
    await storage.write("Things", {
      type: "replace",
      entity: { ...key, RowKey: "after", long: "x".repeat(500) },
      etag: etags[2] ?? "",
    });
    expect(timeOf(await at(storage, "after"))).toBe(today + 2000);
  },
);

test("rows of one millisecond have rising Timestamps", async () => {
  await using storage = await openStorage("memory:", { clock: virtualClock(today) });
  await storage.createTable("Things");
  await storage.transact(
    "Things",
    Array.from({ length: 100 }, (_, i) => insert({}, `r${String(i).padStart(2, "0")}`)),
  );

  const { entities } = await storage.query("Things", {});
  const times = entities.map(({ Timestamp }) => String(Timestamp));
  expect(new Set(times).size).toBe(100);
  expect(times.toSorted()).toEqual(times);
  expect(times[0]).toBe("2026-01-01T00:00:00.0000000Z");
});

/** A file as format 3 had it. */
function writeFormat3(path: string): void {
  const raw = new DatabaseSync(path);
  raw.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE tables (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
    CREATE TABLE versions (id INTEGER PRIMARY KEY CHECK (id = 1), ts INTEGER NOT NULL);
    INSERT INTO versions (id, ts) VALUES (1, 1700000000000000);
    PRAGMA application_id = ${0x50617274};
    PRAGMA user_version = 3;
    INSERT INTO tables (name) VALUES ('Things');
    CREATE TABLE rows1 (
      id INTEGER PRIMARY KEY, pk TEXT NOT NULL, rk TEXT NOT NULL,
      s0 INTEGER NOT NULL DEFAULT 0, s1 INTEGER NOT NULL DEFAULT 0,
      ts INTEGER NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL,
      UNIQUE (pk, rk)
    );
    CREATE INDEX rows1_scan ON rows1 (pk, rk, s0, s1);`);
  const into = raw.prepare("INSERT INTO rows1 (pk, rk, ts, body, crc) VALUES ('p', ?, ?, ?, ?)");
  for (let n = 0; n < 20; n++) {
    const [rk, ts, body] = [`r${n}`, 1_699_999_999_000_000 + n, `{"n":${n},"text":"${"x".repeat(n * 40)}"}`];
    into.run(rk, ts, body, checksumOfText("p", rk, ts, body));
  }
  raw.close();
}

test("a file of format 3 is opened with its rows, their Timestamps and their ETags", async () => {
  const path = join(folder, "format3.db");
  writeFormat3(path);
  await using storage = await openStorage(`file:${path}`);

  expect((await storage.query("Things", {})).entities).toHaveLength(20);
  const row = await at(storage, "r7");
  const etag = etagOf(1_699_999_999_000_007);
  expect(row).toMatchObject({ n: 7, Timestamp: "2023-11-14T22:13:19.0000070Z", "odata.etag": etag });
  const replace = (condition: string): Promise<unknown> =>
    storage.write("Things", { type: "replace", entity: { ...key, RowKey: "r7", n: 8 }, etag: condition });
  await expect(replace(etagOf(1_699_999_999_000_006))).rejects.toMatchObject({ status: 412 });
  await replace(etag);
  await expect(replace(etag)).rejects.toMatchObject({ status: 412 });
  expect(await at(storage, "r7")).toMatchObject({ n: 8 });
});

test("a program that opened the file in format 3 writes nothing more to it once it is in format 5", async () => {
  const path = join(folder, "format3.db");
  writeFormat3(path);
  const old = new DatabaseSync(path);
  const versions = old.prepare("SELECT ts FROM versions");
  expect(versions.get()).toBeDefined();
  await using _storage = await openStorage(`file:${path}`);

  expect(() => versions.get()).toThrow("no such table: versions");
  old.close();
});
