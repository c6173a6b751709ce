import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { appendFile, copyFile, rename, stat, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { OpenFiles } from "../../../src/stores/embedded/open-files.ts";
import { openStorage, type StorageError, type TableStorage } from "../../../src/index.ts";
import type { StoredQuery } from "../../../src/storage.ts";
import { insert } from "./things.ts";

const inFolder = folderOfEachTest();

const file = (name = "test.db"): string => inFolder(name);

async function open(path = file()): Promise<TableStorage> {
  const storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  await storage.write("Things", insert({ n: 1 }, "before"));
  return storage;
}

const shorten = async (path: string, bytes: number): Promise<void> =>
  truncate(path, (await stat(path)).size - bytes);

const replaced = { code: "storage.file-replaced", applied: "no" };

test.each<[string, () => Promise<void>]>([
  ["deleted", () => unlink(file())],
  [
    "deleted with its log",
    () => Promise.all([unlink(file()), unlink(file("test.db-wal"))]).then(() => undefined),
  ],
  ["moved", () => rename(file(), file("moved.db"))],
  ["replaced by a copy", () => copyFile(file(), file("copy.db")).then(() => rename(file("copy.db"), file()))],
  ["replaced by an empty file", () => unlink(file()).then(() => writeFile(file(), ""))],
  ["there, and its log is deleted", () => unlink(file("test.db-wal"))],
  ["cut to no bytes", () => truncate(file())],
  ["overwritten by a smaller file", () => writeFile(file(), "another text")],
  ["there, and its log is cut to no bytes", () => truncate(file("test.db-wal"))],
  ["there, and its log lacks the last byte", () => shorten(file("test.db-wal"), 1)],
])("no write is acknowledged once the file is %s", async (_, replace) => {
  await using storage = await open();
  await replace();

  const writes = [
    storage.write("Things", insert({}, "after")),
    storage.transact("Things", [insert({}, "a"), insert({}, "b")]),
    storage.createTable("More"),
    storage.deleteTable("Things"),
  ];

  for (const result of await Promise.allSettled(writes))
    expect(result).toMatchObject({ status: "rejected", reason: replaced });
  // What a program has in its memory it may still read; what was cut it may not.
  const read = await storage.query("Things", {}).then(
    ({ entities }) => entities.map(({ RowKey }) => RowKey),
    ({ code }: StorageError) => code,
  );
  expect([["before"], "storage.io", "storage.damaged"]).toContainEqual(read);
});

test("what SQLite itself makes smaller is written to as before", async () => {
  await using storage = await open();
  const long = { text: "x".repeat(30_000) };
  for (let i = 0; i < 100; i++) await storage.write("Things", insert(long, `r${i}`));
  for (let i = 0; i < 100; i++)
    await storage.write("Things", { type: "delete", key: { partitionKey: "p", rowKey: `r${i}` }, etag: "*" });
  const other = new DatabaseSync(file());
  const sizes = async (): Promise<number[]> =>
    Promise.all([file(), file("test.db-wal")].map(async (path) => (await stat(path)).size));

  const before = await sizes();
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const truncated = await sizes();
  await storage.write("Things", insert({}, "first"));
  other.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  const vacuumed = await sizes();
  await storage.createTable("More");
  await storage.write("Things", insert({}, "second"));
  other.close();

  expect([before[1] as number, truncated[1], vacuumed[1]]).toEqual([expect.any(Number), 0, 0]);
  expect(vacuumed[0]).toBeLessThan(truncated[0] as number);
  expect((await storage.query("Things", {})).entities.map(({ RowKey }) => RowKey)).toEqual([
    "before",
    "first",
    "second",
  ]);
  await truncate(file());
  await expect(storage.write("Things", insert({}, "lost"))).rejects.toMatchObject(replaced);
});

test("a file that SQLite made smaller is written to while its newest pages are only in the log", async () => {
  await using storage = await open();
  const long = { text: "x".repeat(30_000) };
  for (let i = 0; i < 50; i++) await storage.write("Things", insert(long, `r${i}`));
  const other = new DatabaseSync(file());
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  await storage.deleteTable("Things");
  await storage.createTable("Things");
  other.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  await using second = await openStorage(`file:${file()}`);
  for (let i = 0; i < 5; i++) await second.write("Things", insert(long, `s${i}`));

  await storage.write("Things", insert({}, "after"));
  await storage.createTable("More");

  expect((await second.query("Things", {})).entities).toHaveLength(6);
});

test("a log that is replaced between the check and the commit is noticed by the next check", async () => {
  await writeFile(file(), "database");
  await writeFile(file("test.db-wal"), "log");
  const files = new OpenFiles(file(), "test.db");
  files.addLog();
  expect(files.check()).toBe(true);

  await writeFile(file("other"), "a longer log");
  await rename(file("other"), file("test.db-wal"));
  files.noteCommit();

  expect(() => files.check()).toThrow(expect.objectContaining({ code: "storage.file-replaced" }) as Error);
});

test("a file that is put back is written to again, and has lost nothing", async () => {
  const storage = await open();
  await rename(file(), file("moved.db"));
  await expect(storage.write("Things", insert({}, "lost"))).rejects.toMatchObject(replaced);
  await rename(file("moved.db"), file());
  await storage.write("Things", insert({}, "after"));
  await storage.close();

  await using again = await openStorage(`file:${file()}`);
  const { entities } = await again.query("Things", {});
  expect(entities.map(({ RowKey }) => RowKey)).toEqual(["after", "before"]);
});

test("a link that leads to another file since is noticed, and one that leads to the same file is none", async () => {
  const other = await open(file("other.db"));
  await other.close();
  await symlink(file(), file("link.db"));
  await using storage = await open(file("link.db"));
  await storage.write("Things", insert({}, "through the link"));

  await unlink(file("link.db"));
  await symlink(file("other.db"), file("link.db"));
  await expect(storage.write("Things", insert({}, "lost"))).rejects.toMatchObject(replaced);
});

test("a scan does not read another file that took the name", async () => {
  await using storage = await open();
  for (let from = 0; from < 100; from += 50)
    await storage.transact(
      "Things",
      Array.from({ length: 50 }, (_, i) => insert({ n: 1 }, `r${from + i}`)),
    );
  await copyFile(file(), file("copy.db"));
  await rename(file("copy.db"), file());

  const scan: StoredQuery = {
    filter: { op: "ne", name: "n", literal: { edm: "Edm.Int32", value: 2 } },
  };
  for (let i = 0; i < 4; i++) await expect(storage.query("Things", scan)).rejects.toMatchObject(replaced);
});

test("what is written to the file otherwise is no replacement", async () => {
  await using storage = await open();
  await using second = await openStorage(`file:${file()}`);

  await second.write("Things", insert({}, "second"));
  await appendFile(file("test.db-wal"), "");
  await storage.write("Things", insert({}, "first"));
  await second.close();
  await storage.write("Things", insert({}, "last"));

  expect((await storage.query("Things", {})).entities).toHaveLength(4);
});
