import {
  accepted,
  aClock,
  checkArgument,
  type CheckOptions,
  commitRows,
  defineOptions,
  forwardStorage,
  hasRowBytes,
  keyOfOperation,
  offerEngine,
  readRow,
  readRows,
  type RowPage,
  type RowReader,
  type StoreEngine,
  trueOrFalse,
} from "@partita/core/internal";
import type { Clock, RequestOptions, StoredQuery, WriteOperation } from "@partita/core/storage";
import type { TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/internal";
import { type LoadReport, PartitionCounts } from "./partition-load.ts";
import { countEntities, countRows, keyedReader, withoutKeys } from "./partitions-of-page.ts";

/** How partitions are watched. */
export interface WatchOptions {
  /**
   * Whether reports show PartitionKeys as they are; default false: they show the first 16 hex digits of the key's SHA-256,
   * the same in every process. Whoever can guess a key can find it by its hash.
   */
  readonly showKeys?: boolean | undefined;
  /** The time, for rates; that of this machine when absent. */
  readonly clock?: Clock | undefined;
}

/** How the load is reported. */
export interface LoadOptions {
  /** Whether counting begins anew after the report, so that each report is of its own interval; default false. */
  readonly reset?: boolean | undefined;
}

/** A storage that counts what its partitions are asked for. */
export interface WatchedStorage extends TableStorage {
  /** What was counted since the storage is watched, or since the last reset. @throws OptionError `storage.option` */
  load(options?: LoadOptions): LoadReport;
}

/**
 * The same storage, which counts the entities that are read from and written to each partition. `load()` lists the hottest
 * ones, with rates, and where the inserts of each table go. Use it in the place of the storage it is given:
 * `new TableContext(watched)`.
 *
 * What is answered stays as it was, and closing it closes the storage. Counted are entities of requests that succeeded, as
 * the service's limit of 2,000 a second for a partition counts them: rows that a filter left out on the server are not
 * seen.
 *
 * Memory is bounded: 100 partitions have counters, by the algorithm Space-Saving. Every partition that had more than 1 %
 * of all entities is listed; what it was asked for lies from `read + written` to `read + written + missedAtMost`, and
 * `missedAtMost` is 1 % of all entities at most.
 *
 * Where 90 % of the last 1,000 inserts into a table went to partitions behind all that were seen before, or before all of
 * them, a process warning `PARTITA_APPEND_ONLY` names the table, once. A transaction is one insert here, and an upsert is
 * none, since it does not show whether its row is new. A table that is filled in the order of its keys is reported, too,
 * as long as it is filled.
 *
 * @throws OptionError `storage.option`
 *
 * @example
 * ```ts
 * const watched = watchPartitions(storage);
 * await new TableContext(watched).query(Blog).where({ channel }).toArray();
 * console.log(watched.load().partitions[0]?.read); // → 3
 * ```
 */
export function watchPartitions(storage: TableStorage, options: WatchOptions = {}): WatchedStorage {
  checkArgument("watchPartitions(storage, options)", storage, aStorage, "storage.option");
  checkWatchOptions(options);
  const counts = new PartitionCounts(options.clock ?? systemClock, options.showKeys === true);
  const watched: WatchedStorage = {
    ...forwardStorage(storage, {
      async query(table, query, request) {
        const page = await storage.query(table, query, request);
        countEntities(page.entities, counts.read(table));
        return page;
      },
      async get(table, key, request) {
        const found = await storage.get(table, key, request);
        if (found !== undefined) counts.read(table)(key.partitionKey, 1);
        return found;
      },
      async write(table, operation, request) {
        const result = await storage.write(table, operation, request);
        countWrites(counts, table, [operation]);
        return result;
      },
      async transact(table, operations, request) {
        const results = await storage.transact(table, operations, request);
        countWrites(counts, table, operations);
        return results;
      },
    }),
    load(loadOptions = {}) {
      checkLoadOptions(loadOptions);
      const report = counts.report();
      if (loadOptions.reset === true) counts.reset();
      return report;
    },
  };
  offerEngine(watched, watchedEngine(storage, counts));
  return watched;
}

/** The same for code of ours: rows pass as bytes in both directions, as they do without a watch. */
const watchedEngine = (storage: TableStorage, counts: PartitionCounts): StoreEngine => ({
  readRows: (table, query, reader, request) => countedRows(storage, counts, table, query, reader, request),
  async commit(table, operations, request) {
    const results = await commitRows(storage, table, operations, request);
    countWrites(counts, table, operations);
    return results;
  },
  ...(hasRowBytes(storage) && {
    async readRow(table, key, reader, request) {
      const found = await readRow(storage, table, key, reader, request);
      if (found !== undefined) counts.read(table)(key.partitionKey, 1);
      return found;
    },
  }),
});

const aStorage = accepted<TableStorage>(
  'an open storage: await openStorage("file:path.db")',
  (value) => typeof (value as Partial<TableStorage> | null | undefined)?.query === "function",
);

const checkWatchOptions: CheckOptions = defineOptions<WatchOptions>(
  "watchPartitions(storage, options)",
  { showKeys: trueOrFalse, clock: aClock },
  "storage.option",
);

const checkLoadOptions: CheckOptions = defineOptions<LoadOptions>(
  "load(options)",
  { reset: trueOrFalse },
  "storage.option",
);

async function countedRows(
  storage: TableStorage,
  counts: PartitionCounts,
  table: string,
  query: StoredQuery,
  reader: RowReader,
  options: RequestOptions | undefined,
): Promise<RowPage> {
  const keyed = keyedReader(reader);
  const page = await readRows(storage, table, query, keyed, options);
  countRows(page.rows, keyed, counts.read(table));
  return keyed === reader ? page : { ...page, rows: withoutKeys(page.rows) };
}

/** All operations of a transaction are of one partition. */
function countWrites(counts: PartitionCounts, table: string, operations: readonly WriteOperation[]): void {
  const [first] = operations;
  if (first === undefined) return;
  const { partitionKey } = keyOfOperation(first);
  counts.written(table, partitionKey, operations.length);
  if (operations.some(({ type }) => type === "insert")) counts.inserted(table, partitionKey);
}
