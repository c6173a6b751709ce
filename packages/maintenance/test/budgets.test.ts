import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { constant, padded } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";
import { add, upgrades } from "@partita/core/upgrades";
import {
  type Budget,
  countedMemory,
  describeBudgets,
  type OpenPlace,
  pages,
  writesOf,
} from "@partita/test-support/budgets";
import { fill } from "@partita/test-support/rows";
import { manualClock } from "@partita/testing";
import {
  buildIndex,
  census,
  dropIndex,
  findUpgrade,
  moveRows,
  sweepMarkers,
  upgradeTable,
  verifyIndex,
} from "../src/index.ts";

const shape = {
  table: "Rows",
  partitionKey: { shop: text() },
  rowKey: { id: constant("ID:", padded(6)) },
} as const;

const byN = { rowKey: { n: constant("N:", padded(6)) } } as const;
const properties = { n: int32() } as const;

/** Rows with an index. */
class Listed extends defineEntity({ ...shape, properties, indexes: { byN } }) {}
/** The same rows, whose index is no longer used. */
class Retired extends defineEntity({
  ...shape,
  properties,
  indexes: { byN: { ...byN, state: "retired" } },
}) {}
/** The same rows in a later version. */
class Upgraded extends defineEntity({
  ...shape,
  version: upgrades({ n: int32() }).to(2, add("state", text(), "open")),
  properties: { ...properties, state: text() },
}) {}
class Plain extends defineEntity({ ...shape, properties }) {}
/** The same rows under other keys, which come before those of now. */
class Moved extends defineEntity({
  ...shape,
  rowKey: { id: constant("AT:", padded(6)) },
  properties,
  formerKeys: Plain,
}) {}
class Marked extends defineEntity({ ...shape, table: "Marked", properties: {}, proof: "marker" }) {}

const storedRows = (rows: number): StoredEntity[] =>
  Array.from({ length: rows }, (_, id) => ({
    PartitionKey: "s",
    RowKey: `ID:${String(id).padStart(6, "0")}`,
    n: id,
  }));

/** Rows without an index, a version and markers. */
const openRows: OpenPlace<TableStorage> = async (counter, rows) => {
  const storage = await countedMemory(counter);
  await fill(storage, "Rows", storedRows(rows));
  return storage;
};

/** Rows with an index that is ready. */
const openListed: OpenPlace<TableStorage> = async (counter, rows) => {
  const storage = await openRows(counter, rows);
  await buildIndex(storage, Listed, "byN");
  return storage;
};

/** Rows with an index that was dropped. */
const openUnlisted: OpenPlace<TableStorage> = async (counter, rows) => {
  const storage = await openRows(counter, rows);
  await buildIndex(storage, Listed, "byN");
  await dropIndex(storage, Retired, "byN");
  return storage;
};

/** Rows that were moved. */
const openMoved: OpenPlace<TableStorage> = async (counter, rows) => {
  const storage = await openRows(counter, rows);
  await moveRows(storage, Plain, Moved);
  return storage;
};

/** Old markers, each of a transaction of its own. */
const openMarked: OpenPlace<TableStorage> = async (counter, rows) => {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const storage = counter.storage(await openStorage("memory:", { clock }));
  await createTables(storage, [Marked]);
  await using context = new TableContext(storage);
  for (let id = 0; id < rows; id++) {
    context.create(Marked, { shop: "s", id });
    await context.saveChanges();
  }
  clock.advance(2 * 3_600_000);
  return storage;
};

const alone = { concurrency: 1 } as const;

type Counts = Readonly<Record<string, number>>;

/** The requests of a job, which does its work for each page: a query, a claim, and the claim's end. */
const job = (rows: number): Counts => ({
  createTable: 1,
  get: pages(rows) + 4,
  query: pages(rows) + 3,
  transact: pages(rows),
  write: pages(rows) + 2,
});

const sum = (...all: readonly Counts[]): Counts => {
  const total: Record<string, number> = {};
  for (const counts of all)
    for (const [kind, count] of Object.entries(counts)) total[kind] = (total[kind] ?? 0) + count;
  return total;
};

/** A table is read once: to count its rows, or to see that none was left. */
const read = (rows: number): Counts => ({ query: pages(rows) });

const ofRows: readonly Budget<TableStorage>[] = [
  ["take a census", read, (storage) => census(storage, [Listed])],
  ["find no upgrade", "1 get", (storage) => findUpgrade(storage, [Upgraded])],
  ["count the rows to upgrade", read, (storage) => upgradeTable(storage, [Upgraded], { dryRun: true })],
  [
    "upgrade a table",
    (rows) => sum(job(rows), writesOf(rows), read(rows)),
    (storage) => upgradeTable(storage, [Upgraded], alone),
  ],
  [
    // The state of the index is read, and recorded at the start and at the end.
    "build an index",
    (rows) =>
      sum(job(rows), writesOf(rows, 2), read(2 * rows), {
        createTable: 2,
        get: 1,
        query: 2,
        transact: 3,
        write: 1,
      }),
    (storage) => buildIndex(storage, Listed, "byN", alone),
  ],
  ["count the rows to move", read, (storage) => moveRows(storage, Plain, Moved, { dryRun: true })],
  [
    // One more query looks for keys that a worker reserved.
    "move rows",
    (rows) => sum(job(rows), writesOf(rows, 2), read(rows), { query: 1 }),
    (storage) => moveRows(storage, Plain, Moved, alone),
  ],
];

const ofListed: readonly Budget<TableStorage>[] = [
  ["verify an index", (rows) => read(2 * rows), (storage) => verifyIndex(storage, Listed, "byN")],
  [
    "verify and repair an index",
    (rows) => read(2 * rows),
    (storage) => verifyIndex(storage, Listed, "byN", { repair: true }),
  ],
  [
    "build an index that is ready",
    (rows) => sum(read(2 * rows), { createTable: 1, transact: 1 }),
    (storage) => buildIndex(storage, Listed, "byN", alone),
  ],
  [
    "drop an index",
    (rows) => sum(job(rows), writesOf(rows), { createTable: 2, get: 1, query: 1, transact: 1, write: 2 }),
    (storage) => dropIndex(storage, Retired, "byN", alone),
  ],
];

const ofUnlisted: readonly Budget<TableStorage>[] = [
  [
    // The table is read again to find them. Each row and its entity are read twice, and again after the repair.
    "repair an index that has lost its rows",
    (rows) => sum(read(rows), read(rows), { get: 6 * rows }, writesOf(rows, 2)),
    (storage) => verifyIndex(storage, Listed, "byN", { repair: true }),
  ],
];

const ofMoved: readonly Budget<TableStorage>[] = [
  [
    "move rows that were moved",
    (rows) => sum(job(rows), read(rows), { query: 2, write: 1 }),
    (storage) => moveRows(storage, Plain, Moved, alone),
  ],
];

const ofMarked: readonly Budget<TableStorage>[] = [
  ["sweep markers", (rows) => sum(read(rows), writesOf(rows)), (storage) => sweepMarkers(storage, [Marked])],
];

const sizes = [1, 1500];
describeBudgets(sizes, "rows", openRows, ofRows);
describeBudgets(sizes, "indexed rows", openListed, ofListed);
describeBudgets(sizes, "rows of an index without rows", openUnlisted, ofUnlisted);
describeBudgets(sizes, "moved rows", openMoved, ofMoved);
describeBudgets(sizes, "markers", openMarked, ofMarked);
