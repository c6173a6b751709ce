import assert from "node:assert/strict";
import type { WriteOperation } from "@partita/core/storage";
import { type ConformanceCase, insertAll, refuses, stored } from "./storage-case.ts";

const insert = (rowKey: string, partitionKey = "p"): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: partitionKey, RowKey: rowKey, A: 1 },
});

const numbered = (count: number): WriteOperation[] =>
  Array.from({ length: count }, (_, i) => insert(`r${i}`));

/** Entity group transactions: all or none, one partition, the service's limits. */
export const transactionCases: readonly ConformanceCase[] = [
  {
    name: "applies every operation of a transaction and returns results in order",
    check: async (storage, table) => {
      await insertAll(storage, table, [
        ["p", "merged", { A: 1, B: 1 }],
        ["p", "deleted"],
      ]);
      const results = await storage.transact(table, [
        insert("inserted"),
        { type: "merge", entity: { PartitionKey: "p", RowKey: "merged", B: 2 }, etag: "*" },
        { type: "delete", key: { partitionKey: "p", rowKey: "deleted" }, etag: "*" },
        { type: "upsert-replace", entity: { PartitionKey: "p", RowKey: "upserted", C: 3 } },
      ]);

      assert.equal(results.length, 4);
      assert.equal(results[0]?.etag, (await stored(storage, table, "p", "inserted"))["odata.etag"]);
      assert.equal(results[2]?.etag, undefined);
      assert.equal((await stored(storage, table, "p", "merged"))["A"], 1);
      assert.equal((await stored(storage, table, "p", "merged"))["B"], 2);
      assert.equal(await storage.get(table, { partitionKey: "p", rowKey: "deleted" }), undefined);
    },
  },
  {
    name: "applies nothing of a transaction with a refused operation, and names it",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "taken"]]);

      await refuses(
        storage.transact(table, [insert("a"), insert("b"), insert("taken"), insert("c")]),
        "EntityAlreadyExists",
        2,
      );
      for (const rowKey of ["a", "b", "c"])
        assert.equal(await storage.get(table, { partitionKey: "p", rowKey }), undefined);
    },
  },
  {
    name: "names the operation whose ETag is no longer current",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r"]]);
      const old = (await stored(storage, table, "p", "r"))["odata.etag"] ?? "";
      await storage.write(table, {
        type: "merge",
        entity: { PartitionKey: "p", RowKey: "r", A: 2 },
        etag: old,
      });
      const conditional: WriteOperation = {
        type: "merge",
        entity: { PartitionKey: "p", RowKey: "r", A: 3 },
        etag: old,
      };

      await refuses(storage.transact(table, [insert("a"), conditional]), "UpdateConditionNotSatisfied", 1);
    },
  },
  {
    name: "takes 100 operations",
    check: async (storage, table) => {
      assert.equal((await storage.transact(table, numbered(100))).length, 100);
    },
  },
  {
    name: "refuses 101 operations",
    check: async (storage, table) => refuses(storage.transact(table, numbered(101)), "InvalidInput"),
  },
  {
    name: "refuses the same entity twice in a transaction",
    check: async (storage, table) =>
      refuses(storage.transact(table, [insert("r"), insert("r")]), "InvalidDuplicateRow", 1),
  },
  {
    name: "refuses a transaction over two partitions",
    check: async (storage, table) =>
      refuses(
        storage.transact(table, [insert("r"), insert("r", "q")]),
        "CommandsInBatchActOnDifferentPartitions",
        1,
      ),
  },
  {
    name: "refuses a transaction on a table that does not exist",
    check: async (storage) =>
      refuses(storage.transact("NoSuchTable", [insert("a"), insert("b")]), "TableNotFound"),
  },
];
