import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createSchema, dropRows, tableNames } from "../../../src/stores/embedded/schema.ts";
import { addTable, readTable, Statements } from "../../../src/stores/embedded/table-statements.ts";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { insert } from "./things.ts";

const inFolder = folderOfEachTest();

const key = { partitionKey: "p", rowKey: "1" };

/** A reader that has read from the table, and somebody else who has the same file open. */
async function twoOfOneFile(): Promise<{
  readonly reader: TableStorage;
  readonly other: TableStorage;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const url = `file:${inFolder("test.db")}`;
  const [reader, other] = [await openStorage(url), await openStorage(url)];
  await other.createTable("Things");
  await other.write("Things", insert({ n: 1 }, "1"));
  await both(reader, (found) => expect(found).toEqual([1]));
  return {
    reader,
    other,
    [Symbol.asyncDispose]: async () => {
      await reader.close();
      await other.close();
    },
  };
}

/** Reads by key and by query. */
async function both(storage: TableStorage, check: (found: unknown[]) => void): Promise<void> {
  const row = await storage.get("Things", key);
  check(row === undefined ? [] : [row["n"]]);
  check((await storage.query("Things", {})).entities.map((entity) => entity["n"]));
}

const isGone = { code: "storage.table-not-found" };

test("a table that somebody else has deleted is not found", async () => {
  await using stores = await twoOfOneFile();
  const { reader, other } = stores;
  await other.deleteTable("Things");

  await expect(reader.get("Things", key)).rejects.toMatchObject(isGone);
  await expect(reader.query("Things", {})).rejects.toMatchObject(isGone);
});

test("a table that somebody else has deleted and created again is the new one", async () => {
  await using stores = await twoOfOneFile();
  const { reader, other } = stores;
  await other.deleteTable("Things");
  await other.createTable("Things");
  await both(reader, (found) => expect(found).toEqual([]));
  await other.write("Things", insert({ n: 2 }, "1"));

  await both(reader, (found) => expect(found).toEqual([2]));
});

test("another table that was created after a deletion is not read in its place", async () => {
  await using stores = await twoOfOneFile();
  const { reader, other } = stores;
  await other.deleteTable("Things");
  await other.createTable("Others");
  await other.write("Others", insert({ n: 3 }, "1"));

  await expect(reader.get("Things", key)).rejects.toMatchObject(isGone);
  await other.createTable("Things");
  await both(reader, (found) => expect(found).toEqual([]));
});

test("a table that a store has deleted itself is not found, whatever the case of its name", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  await storage.write("Things", insert({ n: 1 }, "1"));
  for (const name of ["Things", "THINGS"]) expect(await storage.get(name, key)).toMatchObject({ n: 1 });
  await storage.deleteTable("things");

  for (const name of ["Things", "THINGS"]) await expect(storage.get(name, key)).rejects.toMatchObject(isGone);
});

test("a table that other programs delete and create again while it is read is read once it stays", () => {
  const database = new DatabaseSync(":memory:");
  createSchema(database);
  const statements = new Statements(database);
  addTable(statements, database, "Things");
  let deletes = 3;

  const count = readTable(statements, "Things", ({ id, rowsName }) => {
    if (deletes-- > 0) {
      database.exec(`DELETE FROM ${tableNames} WHERE id = ${id}`);
      dropRows(database, id);
      addTable(statements, database, "Things");
    }
    return statements.get(`SELECT count(*) FROM ${rowsName}`).get();
  });

  expect(count).toEqual([0]);
  database.close();
});
