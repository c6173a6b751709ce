import assert from "node:assert/strict";
import type { TableStorage } from "@partita/core";
import type { FilterNode, StoredEntity, StoredQuery } from "@partita/core/storage";
import { followPages } from "@partita/core/internal";
import { type ConformanceCase, insertAll, refuses } from "./storage-case.ts";

/** Reads a query to its end, through short and empty pages. */
async function all(storage: TableStorage, table: string, query: StoredQuery): Promise<StoredEntity[]> {
  const entities: StoredEntity[] = [];
  for await (const page of followPages(storage, table, query)) entities.push(...page.entities);
  return entities;
}

const rowKeys = (entities: readonly StoredEntity[]): string[] => entities.map((entity) => entity.RowKey);

const eq = (name: string, value: string) =>
  ({ op: "eq", name, literal: { edm: "Edm.String", value } }) as const;

/** Rows of one partition: `r0` with N 0, and so on. */
const rowsOf = (count: number): Parameters<typeof insertAll>[2] =>
  Array.from({ length: count }, (_, n) => ["p", `r${n}`, { N: n }]);

/** Queries: order, filters, pages, selections. */
export const queryCases: readonly ConformanceCase[] = [
  {
    name: "refuses to query a table that does not exist, also with a filter that no key satisfies",
    check: async (storage) => {
      const nodes = [eq("PartitionKey", "a"), eq("PartitionKey", "b")];
      await refuses(storage.query("NoSuchTable", { filter: { op: "and", nodes } }), "TableNotFound");
    },
  },
  {
    name: "returns entities in UTF-16 order of PartitionKey, then RowKey",
    check: async (storage, table) => {
      const keys = ["", "A", "a", "_", "é", "\ud7ff", "\u{10000}", "\u{10ffff}", "\ue000", "\uffff"];
      const pairs = keys.flatMap((pk) => keys.map((rk) => [pk, rk] as const));
      await insertAll(storage, table, [...pairs].reverse());

      const found = (await all(storage, table, {})).map((entity) => [entity.PartitionKey, entity.RowKey]);
      const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
      assert.deepEqual(
        found,
        [...pairs].sort((a, b) => byUnits(a[0], b[0]) || byUnits(a[1], b[1])),
      );
    },
  },
  {
    name: "returns pages that together hold every entity once",
    check: async (storage, table) => {
      await insertAll(
        storage,
        table,
        Array.from({ length: 25 }, (_, i) => [`p${i % 3}`, `r${i}`] as const),
      );

      const found = await all(storage, table, { top: 4 });
      assert.equal(found.length, 25);
      assert.equal(new Set(found.map((entity) => entity.RowKey)).size, 25);
    },
  },
  {
    name: "returns no continuation after the last row",
    check: async (storage, table) => {
      await insertAll(storage, table, rowsOf(10));

      for (const filter of [undefined, eq("PartitionKey", "p")])
        for (const top of [1, 2, 5, 10]) {
          const pages: number[] = [];
          for await (const { entities } of followPages(storage, table, { top, ...(filter && { filter }) }))
            pages.push(entities.length);
          // A store may return short and empty pages, but no empty page after the last row.
          assert.notEqual(pages.at(-1), 0);
        }
    },
  },
  {
    name: "returns at most top entities per page",
    check: async (storage, table) => {
      await insertAll(storage, table, rowsOf(5));

      assert.ok((await storage.query(table, { top: 2 })).entities.length <= 2);
    },
  },
  {
    name: "returns a range of keys",
    check: async (storage, table) => {
      await insertAll(storage, table, rowsOf(5));
      const from: FilterNode = { ...eq("RowKey", "r1"), op: "ge" };
      const to: FilterNode = { ...eq("RowKey", "r3"), op: "lt" };
      const filter: FilterNode = { op: "and", nodes: [eq("PartitionKey", "p"), from, to] };

      assert.deepEqual(rowKeys(await all(storage, table, { filter })), ["r1", "r2"]);
    },
  },
  {
    name: "compares every type with a constant of that type",
    check: async (storage, table) => {
      await insertAll(storage, table, [
        [
          "p",
          "1",
          { N: 1, "L@odata.type": "Edm.Int64", L: "-5", "D@odata.type": "Edm.Double", D: 1, B: true, S: "a" },
        ],
        ["p", "2", { N: 2, "L@odata.type": "Edm.Int64", L: "9007199254740993", D: 1.5, B: false, S: "b'c" }],
      ]);
      const find = async (
        op: "eq" | "gt" | "le",
        name: string,
        literal: { edm: never; value: never } | object,
      ): Promise<string[]> =>
        rowKeys(await all(storage, table, { filter: { op, name, literal } as FilterNode }));

      assert.deepEqual(await find("eq", "N", { edm: "Edm.Int32", value: 2 }), ["2"]);
      assert.deepEqual(await find("gt", "L", { edm: "Edm.Int64", value: "9007199254740992" }), ["2"]);
      assert.deepEqual(await find("le", "D", { edm: "Edm.Double", value: 1 }), ["1"]);
      assert.deepEqual(await find("eq", "B", { edm: "Edm.Boolean", value: false }), ["2"]);
      assert.deepEqual(await find("eq", "S", { edm: "Edm.String", value: "b'c" }), ["2"]);
    },
  },
  {
    name: "compares an absent property as false, also with ne, and its negation as true",
    check: async (storage, table) => {
      await insertAll(storage, table, [
        ["p", "has", { N: 1 }],
        ["p", "lacks"],
      ]);
      const is2: FilterNode = { op: "eq", name: "N", literal: { edm: "Edm.Int32", value: 2 } };

      assert.deepEqual(rowKeys(await all(storage, table, { filter: { ...is2, op: "ne" } })), ["has"]);
      assert.deepEqual(rowKeys(await all(storage, table, { filter: { op: "not", node: is2 } })), [
        "has",
        "lacks",
      ]);
    },
  },
  {
    name: "finds all rows with the filter true, and none with false",
    check: async (storage, table) => {
      await insertAll(storage, table, [
        ["p", "a"],
        ["p", "b"],
      ]);
      const [yes, no]: FilterNode[] = [true, false].map((value) => ({ op: "constant", value }));
      const find = async (filter: FilterNode): Promise<string[]> =>
        rowKeys(await all(storage, table, { filter }));

      assert.deepEqual(await find(yes as FilterNode), ["a", "b"]);
      assert.deepEqual(await find(no as FilterNode), []);
      assert.deepEqual(await find({ op: "and", nodes: [yes as FilterNode, eq("RowKey", "b")] }), ["b"]);
      assert.deepEqual(await find({ op: "or", nodes: [no as FilterNode, eq("RowKey", "b")] }), ["b"]);
    },
  },
  {
    name: "treats a constant that looks like a filter as a constant",
    check: async (storage, table) => {
      await insertAll(storage, table, [
        ["p", "r"],
        ["q", "r"],
      ]);

      assert.deepEqual(
        await all(storage, table, { filter: eq("PartitionKey", "zz' or PartitionKey ne '") }),
        [],
      );
    },
  },
  {
    name: "returns only selected properties, with keys and ETag",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r", { A: 1, B: 2, "L@odata.type": "Edm.Int64", L: "3" }]]);
      const [entity] = await all(storage, table, { select: ["A", "L"] });

      assert.deepEqual(
        [entity?.PartitionKey, entity?.RowKey, entity?.["A"], entity?.["L"]],
        ["p", "r", 1, "3"],
      );
      assert.equal(entity?.["L@odata.type"], "Edm.Int64");
      assert.equal(entity?.["B"], undefined);
      assert.ok(entity?.["odata.etag"]);
    },
  },
  {
    name: "compares a property of another type by the service's rules",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r", { N: 5, S: "5" }]]);
      const holds = async (op: "eq" | "ne" | "lt" | "le" | "gt" | "ge", literal: object): Promise<boolean> =>
        (await all(storage, table, { filter: { op, name: "N", literal } as FilterNode })).length === 1;
      const text = { edm: "Edm.String", value: "5" };

      const found = await Promise.all(
        (["eq", "ne", "lt", "le", "gt", "ge"] as const).map((op) => holds(op, text)),
      );
      assert.deepEqual(found, [false, true, true, true, false, false]);
    },
  },
  {
    name: "combines conditions: not before and, and before or",
    check: async (storage, table) => {
      await insertAll(storage, table, rowsOf(5));
      const is = (value: number): FilterNode => ({
        op: "eq",
        name: "N",
        literal: { edm: "Edm.Int32", value },
      });
      const not = (node: FilterNode): FilterNode => ({ op: "not", node });
      const filter: FilterNode = {
        op: "or",
        nodes: [is(0), { op: "and", nodes: [not(is(1)), not(is(2)), not(is(3))] }],
      };

      assert.deepEqual(rowKeys(await all(storage, table, { filter })), ["r0", "r4"]);
    },
  },
  {
    name: "finds rows by the time they were written",
    check: async (storage, table) => {
      await insertAll(storage, table, [["p", "r"]]);
      const [row] = await all(storage, table, {});
      const since = (value: string): FilterNode => ({
        op: "ge",
        name: "Timestamp",
        literal: { edm: "Edm.DateTime", value },
      });

      assert.equal((await all(storage, table, { filter: since(row?.Timestamp ?? "") })).length, 1);
      assert.equal((await all(storage, table, { filter: since("9999-01-01T00:00:00Z") })).length, 0);
    },
  },
  {
    name: "refuses an invalid filter that was built by hand",
    check: async (storage, table) => {
      const forged = { op: "eq", name: "N ne 1 or N", literal: { edm: "Edm.Int32", value: 1 } } as FilterNode;
      await refuses(storage.query(table, { filter: forged }), "InvalidInput");
      await refuses(storage.query(table, { filter: { op: "or", nodes: [] } }), "InvalidInput");
    },
  },
  {
    name: "refuses constants that cannot be stored: lone surrogates, and Doubles such as 1e999",
    check: async (storage, table) => {
      const double = (value: number | string) => ({ edm: "Edm.Double", value }) as const;
      const comparisons = [
        eq("Text", "\ud800"),
        eq("PartitionKey", "a\udc00b"),
        eq("RowKey", "\udc00\ud800"),
        { op: "gt", name: "D", literal: double(Number("1e999")) },
        { op: "ne", name: "D", literal: double(Number.NaN) },
        { op: "lt", name: "D", literal: double("-1e999") },
      ] as const;
      for (const filter of comparisons) {
        await refuses(storage.query(table, { filter }), "InvalidInput");
        const nodes = [eq("RowKey", "r"), filter];
        await refuses(storage.query(table, { filter: { op: "or", nodes } }), "InvalidInput");
      }
    },
  },
];
