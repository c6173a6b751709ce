import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { buildIndex } from "@partita/maintenance";
import { constant, verbatim } from "@partita/core/keys";
import {
  compareTables,
  copyTable,
  type ExportOptions,
  exportTable,
  importTable,
  type OmittedRows,
} from "../src/index.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { state: text(), n: int32() },
  indexes: { byState: { rowKey: { state: constant("STATE:", verbatim), id: verbatim } } },
  proof: "marker",
  outbox: true,
}) {}

const none: OmittedRows = { messages: 0, markers: 0, indexRows: 0 };

/** Rows of each kind that another program, or another release, may have stored. */
const others: readonly (StoredEntity & { readonly kind: keyof OmittedRows | "kept" })[] = [
  { kind: "messages", PartitionKey: "s", RowKey: "~o~1", _row: "outbox", Task: "ship", Id: "1" },
  {
    kind: "messages",
    PartitionKey: "s",
    RowKey: "~o~2",
    _row: "outbox",
    Task: "ship",
    Id: "2",
    Payload: "{}",
  },
  { kind: "markers", PartitionKey: "s", RowKey: "~o~3", _row: "marker", State: "written" },
  { kind: "markers", PartitionKey: "s", RowKey: "~o~4", _row: "marker", State: "closed" },
  { kind: "markers", PartitionKey: "s", RowKey: "~w~5", _row: "marker", State: "written" },
  { kind: "kept", PartitionKey: "s", RowKey: "~x~6", _row: "of a later release", A: 1 },
];

let from: TableStorage;
let to: TableStorage;
beforeEach(async () => {
  from = await openStorage("memory:");
  to = await openStorage("memory:");
  await createTables(from, [Order]);
  const context = new TableContext(from);
  // Each transaction has a marker of its own.
  for (const id of ["a", "b"]) {
    context.create(Order, { shop: "s", id, state: "paid", n: 1 });
    await context.saveChanges();
  }
  for (const { kind: _kind, ...entity } of others) await from.write("Orders", { type: "insert", entity });
});
afterEach(async () => {
  await from.close();
  await to.close();
});

const keysIn = async (storage: TableStorage, table = "Orders"): Promise<string[]> =>
  (await storage.query(table, {})).entities.map(({ RowKey }) => RowKey);

/** Two entities with a row of an index each, and what a later release has made. */
const moved = ["STATE:paid__a", "STATE:paid__b", "a", "b", "~x~6"];
const isMoved = (rowKey: string): boolean => !/^~[ow]~/.test(rowKey);
const omitted: OmittedRows = { messages: 2, markers: 5, indexRows: 0 };

test("the table has rows of every kind", async () => {
  const keys = await keysIn(from);

  expect(keys).toHaveLength(moved.length + 7);
  expect(keys.filter(isMoved)).toHaveLength(moved.length);
});

describe("rows of transactions are left out, and counted, unless all are wanted", () => {
  test("by a copy, which compares equal then", async () => {
    const keys = (await keysIn(from)).filter(isMoved);
    expect(await copyTable(from, to, "Orders")).toMatchObject({ read: 12, written: 5, omitted });
    expect(await keysIn(to)).toEqual(keys);
    expect(await compareTables(from, to, "Orders")).toMatchObject({ first: 5, second: 5, isEqual: true });
    expect(await compareTables(from, to, "Orders", { transactionRows: "keep" })).toMatchObject({
      first: 12,
      second: 5,
      isEqual: false,
    });

    const whole = await copyTable(from, to, "Orders", { as: "All", transactionRows: "keep" });
    expect(whole).toMatchObject({ read: 12, written: 12, omitted: none });
    expect(await keysIn(to, "All")).toEqual(await keysIn(from));
  });

  test.each<[string, ExportOptions, number, OmittedRows]>([
    ["as JSON", { format: "jsonl" }, 5, omitted],
    ["as CSV", { format: "csv" }, 5, omitted],
    ["as JSON, all", { format: "jsonl", transactionRows: "keep" }, 12, none],
    ["as CSV, all", { format: "csv", transactionRows: "keep" }, 12, none],
    ["as JSON, of some columns", { format: "jsonl", columns: ["state"] }, 2, { ...omitted, indexRows: 3 }],
    ["as CSV, of some columns", { format: "csv", columns: ["state"] }, 2, { ...omitted, indexRows: 3 }],
    ["by a filter", { format: "jsonl", filter: "RowKey ge '~'" }, 1, omitted],
    [
      "by a filter that finds only such rows",
      { format: "csv", filter: "RowKey ge '~o~2' and RowKey lt '~o~3'" },
      0,
      { ...none, messages: 1 },
    ],
  ])("by an export %s", async (_title, options, rows, left) => {
    let last: { readonly rows: number; readonly omitted: OmittedRows } | undefined;
    const chunks: string[] = [];
    const exported = exportTable(from, "Orders", { ...options, onProgress: (progress) => (last = progress) });
    for await (const chunk of exported) chunks.push(chunk);

    expect(last).toMatchObject({ rows, omitted: left });
    const lines = chunks
      .join("")
      .trimEnd()
      .split("\n")
      .filter((line) => line !== "");
    expect(lines).toHaveLength(options.format === "csv" ? rows + 1 : rows);
    expect(chunks.join("").includes("~o~1")).toBe(options.transactionRows === "keep");
  });

  test("by an import of a file that has them", async () => {
    const all = (): AsyncIterable<string> =>
      exportTable(from, "Orders", { format: "jsonl", transactionRows: "keep" });

    expect(await importTable(to, "Some", all())).toMatchObject({ read: 12, written: 5, omitted });
    expect((await keysIn(to, "Some")).every(isMoved)).toBe(true);
    expect(await importTable(to, "All", all(), { transactionRows: "keep" })).toMatchObject({
      read: 12,
      written: 12,
      omitted: none,
    });
    expect(await keysIn(to, "All")).toEqual(await keysIn(from));
  });
});

test("what is imported is read as it was: entities, and an index that finds them", async () => {
  await importTable(to, "Orders", exportTable(from, "Orders", { format: "csv" }));
  await buildIndex(to, Order, "byState");
  const context = new TableContext(to);

  expect(await context.query(Order).where({ shop: "s" }).toArray()).toHaveLength(2);
  const found = await context.query(Order).where({ shop: "s", state: "paid" }).via("byState").toArray();
  expect(found.map(({ id }) => id)).toEqual(["a", "b"]);
});
