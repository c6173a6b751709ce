import {
  type Budget,
  countedMemory,
  describeBudgets,
  type OpenPlace,
  pages,
  writesOf,
} from "@partita/test-support/budgets";
import { fill, sourceOf } from "@partita/test-support/rows";
import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { compareTables, copyState, copyTable, exportTable, importTable } from "../src/index.ts";

/** A source with rows of one partition, a target without any, and one that has them all. */
interface Place {
  readonly source: TableStorage;
  readonly target: TableStorage;
  readonly full: TableStorage;
  /** The rows, as exported. */
  readonly lines: readonly string[];
}

const rowOf = (i: number): StoredEntity => ({ PartitionKey: "p", RowKey: String(i).padStart(6, "0"), N: i });

const open: OpenPlace<Place> = async (counter, rows) => {
  const [source, target, full] = (await Promise.all(
    ["source", "target", "full"].map((label) => countedMemory(counter, label)),
  )) as [TableStorage, TableStorage, TableStorage];
  const stored = Array.from({ length: rows }, (_, i) => rowOf(i));
  for (const storage of [source, full]) await fill(storage, "Rows", stored);
  const lines: string[] = [];
  for await (const chunk of exportTable(source, "Rows", { format: "jsonl" })) lines.push(chunk);
  return { source, target, full, lines };
};

const drained = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
};

const exported = (rows: number): string => `${pages(rows)} source query`;
const bothRead = (rows: number): string => `${pages(rows)} full query, ${pages(rows)} source query`;

const labelled = (label: string, counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([kind, count]) => [`${label} ${kind}`, count]));

/** The requests that find out, 100 rows at a time, that rows exist; a single one is only refused. */
const refused = (rows: number): { query: number; transact: number; write: number } => ({
  ...writesOf(rows),
  query: writesOf(rows).transact,
});

/**
 * The requests of a copy with these writes of rows: to both storages for each page, and to find its state, create its
 * tables and notice its end.
 */
const copied = (rows: number, target: string, own: { query?: number; transact: number; write: number }) => ({
  "source query": pages(rows) + 2,
  ...labelled(target, {
    createTable: 2,
    get: pages(rows) + (target === "full" ? 5 : 4),
    query: 3 + (own.query ?? 0),
    transact: pages(rows) + own.transact,
    write: pages(rows) + 2 + own.write,
  }),
});

const budgets: readonly Budget<Place>[] = [
  [
    "export rows as JSON lines",
    exported,
    ({ source }) => drained(exportTable(source, "Rows", { format: "jsonl" })),
  ],
  [
    "export columns as CSV",
    exported,
    ({ source }) => drained(exportTable(source, "Rows", { format: "csv", columns: ["N"] })),
  ],
  [
    // Once for the columns, and once for the rows.
    "export rows as CSV",
    (rows) => `${2 * pages(rows)} source query`,
    ({ source }) => drained(exportTable(source, "Rows", { format: "csv" })),
  ],
  [
    // The table has no rows: before it is created, and for another program that has just created it.
    "import rows",
    (rows) => labelled("target", { createTable: 1, query: 2, ...writesOf(rows) }),
    ({ target, lines }) => importTable(target, "Rows", sourceOf(...lines)),
  ],
  [
    "replace rows by an import",
    (rows) => labelled("full", { createTable: 1, query: 1, ...writesOf(rows) }),
    ({ full, lines }) => importTable(full, "Rows", sourceOf(...lines), { existing: "replace" }),
  ],
  [
    "skip the rows of an import",
    (rows) => labelled("full", { createTable: 1, ...refused(rows), query: 1 + refused(rows).query }),
    ({ full, lines }) => importTable(full, "Rows", sourceOf(...lines), { existing: "skip" }),
  ],
  [
    "copy rows",
    (rows) => copied(rows, "target", writesOf(rows)),
    ({ source, target }) => copyTable(source, target, "Rows", { concurrency: 1 }),
  ],
  [
    "replace rows by a copy",
    (rows) => copied(rows, "full", writesOf(rows)),
    ({ source, full }) => copyTable(source, full, "Rows", { concurrency: 1, existing: "replace" }),
  ],
  [
    "skip the rows of a copy",
    (rows) => copied(rows, "full", refused(rows)),
    ({ source, full }) => copyTable(source, full, "Rows", { concurrency: 1, existing: "skip" }),
  ],
  [
    "find the state of a copy",
    "1 full get, 1 full query",
    ({ source, full }) => copyState(source, full, "Rows"),
  ],
  ["compare equal tables", bothRead, ({ source, full }) => compareTables(source, full, "Rows")],
  [
    // Once for the sums of all rows, and once for those that may differ.
    "compare tables that differ",
    (rows) => ({ "full query": 2 * pages(rows), "source query": 2 * pages(rows), "source write": 1 }),
    async ({ source, full }) => {
      await source.write("Rows", { type: "upsert-replace", entity: { ...rowOf(0), N: 77 } });
      await compareTables(source, full, "Rows");
    },
  ],
];

describeBudgets([1, 1500], "rows", open, budgets);
