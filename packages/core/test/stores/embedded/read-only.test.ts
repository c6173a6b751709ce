import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { asReader } from "@partita/test-support/as-reader";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
} from "../../../src/index.ts";
import { verbatim } from "../../../src/keys.ts";
import type { StoredQuery } from "../../../src/storage.ts";
import { insert } from "./things.ts";

const inFolder = folderOfEachTest();
/** The name has characters that a URI escapes. */
const path = (): string => inFolder("sub", "a%20b #1?.db");

/** Copies a database of the rows a and b to a read-only folder. Row b is in the log, if that is copied. */
async function given(ends: readonly string[]): Promise<void> {
  const source = inFolder("source.db");
  const first = await openStorage(`file:${source}`);
  await first.createTable("Things");
  await first.write("Things", insert({ n: 1 }, "a"));
  await first.close();
  const second = await openStorage(`file:${source}`);
  await second.write("Things", insert({ n: 2 }, "b"));
  if (!ends.includes("-wal")) {
    const index = await readFile(`${source}-shm`);
    await second.close();
    await writeFile(`${source}-shm`, index);
  }
  await mkdir(inFolder("sub"));
  for (const end of ends) await copyFile(source + end, path() + end);
  await second.close();
  for (const end of ends) await chmod(path() + end, 0o444);
  await setFolders(0o555);
}

async function setFolders(mode: number): Promise<void> {
  for (const folder of [inFolder(), inFolder("sub")]) await chmod(folder, mode);
}

async function rowKeys(storage: TableStorage, query: StoredQuery = {}): Promise<string[]> {
  return (await storage.query("Things", query)).entities.map(({ RowKey }) => RowKey);
}

/** A query that needs another connection. */
const scan: StoredQuery = {
  filter: { op: "ge", name: "n", literal: { edm: "Edm.Int32", value: 0 } },
};

test.each([
  ["no log", [""]],
  ["a log and its index, as a killed program leaves them", ["", "-wal", "-shm"]],
  ["a log without its index", ["", "-wal"]],
  ["an index without its log", ["", "-shm"]],
])("a database in a read-only folder with %s has all its rows", async (_name, ends) => {
  await given(ends);
  const files = await readdir(inFolder("sub"));
  const bytes = await readFile(path());
  const found = await asReader(async () => {
    await using storage = await openStorage(`file:${path()}`);
    const pages = [rowKeys(storage), rowKeys(storage, scan), rowKeys(storage, scan)];
    return [await storage.get("Things", { partitionKey: "p", rowKey: "b" }), ...(await Promise.all(pages))];
  });
  const left = await readdir(inFolder("sub"));
  await setFolders(0o700);

  expect(found).toEqual([expect.objectContaining({ n: 2 }), ["a", "b"], ["a", "b"], ["a", "b"]]);
  expect(left).toEqual(files);
  expect(await readFile(path())).toEqual(bytes);
});

test.each([[[""]], [["", "-wal", "-shm"]], [["", "-wal"]]])(
  "each change of a database in a read-only folder is refused (files: %j)",
  async (ends) => {
    await given(ends);
    const refused = await asReader(async () => {
      await using storage = await openStorage(`file:${path()}`);
      const changes = [
        storage.write("Things", insert({}, "c")),
        storage.transact("Things", [insert({}, "d")]),
        storage.createTable("Others"),
        storage.deleteTable("Things"),
      ];
      return await Promise.allSettled(changes);
    });
    await setFolders(0o700);

    for (const { reason } of refused as readonly PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: "storage.read-only", applied: "no", status: 403 });
  },
);

test("a program that creates its tables when it starts can read a read-only file that has them", async () => {
  await given([""]);
  class Thing extends defineEntity({
    table: "Things",
    partitionKey: { PartitionKey: verbatim },
    rowKey: { RowKey: verbatim },
    properties: { n: int32() },
  }) {}
  const found = await asReader(async () => {
    await using storage = await openStorage(`file:${path()}`);
    await createTables(storage, [Thing]);
    return await new TableContext(storage).query(Thing).scan().toArray();
  });
  await setFolders(0o700);

  expect(found.map(({ n }) => n)).toEqual([1, 2]);
});

test("a log that may not be read is an error, because its rows would be missing", async () => {
  await given(["", "-wal"]);
  await chmod(`${path()}-wal`, 0o000);
  const opened = await asReader(() => openStorage(`file:${path()}`).catch((error: unknown) => error));
  await setFolders(0o700);

  expect(opened).toMatchObject({
    code: "storage.cannot-open",
    message: expect.stringContaining(
      "-wal or -journal file holds changes that this user may not read",
    ) as string,
  });
});

test.each([[[""]], [["", "-wal"]]])(
  "a read of a file that another program changes meanwhile is an error (files: %j)",
  async (ends) => {
    await given(ends);
    await using storage = await asReader(() => openStorage(`file:${path()}`));
    expect(await rowKeys(storage)).toEqual(["a", "b"]);
    await setFolders(0o700);
    for (const end of ends) await chmod(path() + end, 0o600);
    await using writer = await openStorage(`file:${path()}`);
    await writer.write("Things", insert({}, "c"));

    for (const read of [rowKeys(storage), rowKeys(storage, scan), storage.listTables()])
      await expect(read).rejects.toMatchObject({ code: "storage.file-replaced", applied: "no" });
    await using again = await openStorage(`file:${path()}`);
    expect(await rowKeys(again)).toEqual(["a", "b", "c"]);
  },
);

test("a reader of a read-only folder sees what a running program writes", async () => {
  await given([""]);
  await setFolders(0o755);
  await chmod(path(), 0o644);
  await using writer = await openStorage(`file:${path()}`);
  await using storage = await asReader(() => openStorage(`file:${path()}`));
  await writer.write("Things", insert({ n: 3 }, "c"));
  const pages = await asReader(() => Promise.all([rowKeys(storage), rowKeys(storage, scan)]));

  expect(pages).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
});

test("an empty file that may not be written is no database yet", async () => {
  await given([""]);
  await setFolders(0o700);
  const empty = inFolder("sub", "empty.db");
  await writeFile(empty, "");
  await chmod(empty, 0o444);
  await setFolders(0o555);
  const opened = await asReader(() => openStorage(`file:${empty}`).catch((error: unknown) => error));
  await setFolders(0o700);

  expect(opened).toMatchObject({ code: "storage.read-only", applied: "no" });
});
