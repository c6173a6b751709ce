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

/** Options for watching partitions. */
export interface WatchOptions {
  /**
   * Whether reports show plain PartitionKeys. Default false: they show the first 16 hex digits of the key's
   * SHA-256, which are the same in every process. Anyone who can guess a key can recognise its hash.
   */
  readonly showKeys?: boolean | undefined;
  /** The clock for rates. Defaults to that of this machine. */
  readonly clock?: Clock | undefined;
}

/** Options of a report. */
export interface LoadOptions {
  /** Whether to start a new count after the report, to report each interval separately. Default false. */
  readonly reset?: boolean | undefined;
}

/** A storage that counts the load of its partitions. */
export interface WatchedStorage extends TableStorage {
  /**
   * The counts since the storage is watched, or since the last reset.
   *
   * @throws OptionError `storage.option`
   */
  load(options?: LoadOptions): LoadReport;
}

/**
 * Wraps a storage to count the entities read from and written to each partition. `load()` lists the hottest
 * partitions with their rates, and the distribution of each table's inserts. Use the result instead of the
 * original storage: `new TableContext(watched)`.
 *
 * Responses don't change, and closing it closes the storage. It counts the entities of successful requests,
 * like the service's limit of 2,000 a second for a partition. Rows that a filter left out on the server are
 * not counted.
 *
 * Memory is bounded: 100 partitions have counters, by the algorithm Space-Saving. Every partition with more
 * than 1 % of all entities is listed. Its true load lies from `read + written` to
 * `read + written + missedAtMost`, and `missedAtMost` is at most 1 % of all entities.
 *
 * If 90 % of the last 1,000 inserts into a table went to partitions after (or before) all earlier ones, a
 * process warning `PARTITA_APPEND_ONLY` names the table, once. A transaction counts as one insert. An upsert
 * does not count, because it does not show whether its row is new. A table that is being filled in the order
 * of its keys is reported too.
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

/** The same for Partita's own code: rows pass as bytes in both directions, like without a watch. */
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

/** All operations of a transaction are in one partition. */
function countWrites(counts: PartitionCounts, table: string, operations: readonly WriteOperation[]): void {
  const [first] = operations;
  if (first === undefined) return;
  const { partitionKey } = keyOfOperation(first);
  counts.written(table, partitionKey, operations.length);
  if (operations.some(({ type }) => type === "insert")) counts.inserted(table, partitionKey);
}
