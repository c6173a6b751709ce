import assert from "node:assert/strict";
import { type ConformanceCase, insertAll, refuses } from "./storage-case.ts";

/** Tables: names, creation, deletion. */
export const tableCases: readonly ConformanceCase[] = [
  {
    name: "lists a table it created",
    check: async (storage, table) => {
      assert.ok((await storage.listTables()).includes(table));
    },
  },
  {
    name: "refuses a table that exists, in any case",
    check: async (storage, table) => {
      await refuses(storage.createTable(table), "TableAlreadyExists");
      await refuses(storage.createTable(table.toUpperCase()), "TableAlreadyExists");
    },
  },
  {
    name: "finds a table under its name in any case",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r"]]);

      assert.ok(await storage.get(table.toUpperCase(), { partitionKey: "p", rowKey: "r" }));
    },
  },
  {
    name: "deletes a table with all its entities",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r"]]);
      await storage.deleteTable(table);

      assert.ok(!(await storage.listTables()).includes(table));
      await refuses(
        storage.write(table, { type: "insert", entity: { PartitionKey: "p", RowKey: "r" } }),
        "TableNotFound",
      );
    },
  },
  {
    name: "refuses to delete a table that does not exist",
    check: async (storage) => refuses(storage.deleteTable("NoSuchTable"), "ResourceNotFound"),
  },
  {
    name: "refuses to query a table that does not exist",
    check: async (storage) => refuses(storage.query("NoSuchTable", {}), "TableNotFound"),
  },
];
