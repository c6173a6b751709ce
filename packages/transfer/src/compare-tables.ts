import {
  abortSignal,
  aFunction,
  type CheckOptions,
  defineOptions,
  followPages,
  keyOfStored,
  retriesOf,
  retryReads,
} from "@partita/core/internal";
import { bucketOf, hashOf, RowSums } from "@partita/maintenance/internal";
import type { EntityKey, TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { aReadableTable, checkReadTable, type TablePlace } from "./table-location.ts";
import { MovedRows, type TransactionRows, transactionRowsCheck } from "./transaction-rows.ts";

/** Options for comparing tables. */
export interface CompareOptions {
  /** The table's name in the second storage, if it differs. */
  readonly as?: string | undefined;
  /** Whether waiting messages of an outbox and markers of transactions are ignored. Default `omit`. */
  readonly transactionRows?: TransactionRows | undefined;
  /** Called after each page with the number of rows read so far, of both tables. */
  readonly onProgress?: ((rows: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A row that differs between the tables. */
export interface RowDifference {
  readonly key: EntityKey;
  /** `changed`: in both, with different values or types. Otherwise the only table that has it. */
  readonly found: "changed" | "only first" | "only second";
}

/** The result of comparing two tables. */
export interface TableComparison {
  /** Number of rows in each. */
  readonly first: number;
  readonly second: number;
  readonly isEqual: boolean;
  /** Keys of the differences, at most 1000. Empty if the tables are equal. */
  readonly differences: readonly RowDifference[];
}

const checkOptions: CheckOptions = defineOptions<CompareOptions>(
  "compareTables(first, second, table, options)",
  { as: aReadableTable, transactionRows: transactionRowsCheck, onProgress: aFunction, signal: abortSignal },
  "transfer.option",
);

const mostDifferences = 1000;

/** Maximum number of rows to compare one by one. */
const mostSuspects = 1_000_000;

/**
 * Compares a table of one storage with a table of another: all keys, values and EDM types, as the service
 * compares them. ETags and Timestamps do not count. It reads both tables once and needs little memory for any
 * size. If they differ, it reads them once more. No program should write to them meanwhile.
 *
 * @throws OptionError `transfer.option`; StorageError
 */
export async function compareTables(
  first: TableStorage,
  second: TableStorage,
  table: string,
  options: CompareOptions = {},
): Promise<TableComparison> {
  checkReadTable("compareTables(first, second, table)", table);
  checkOptions(options);
  const { as = table, onProgress, signal } = options;
  const places: [TablePlace, TablePlace] = [
    { storage: first, table },
    { storage: second, table: as },
  ];
  const moved = new MovedRows(options.transactionRows);
  let read = 0;
  const rowsOf = async function* ({ storage, table: name }: TablePlace): AsyncGenerator<StoredEntity> {
    const reading = retryReads(storage, retriesOf(storage));
    for await (const { entities } of followPages(reading, name, {}, { signal })) {
      yield* entities.filter((row) => moved.isMoved(row));
      read += entities.length;
      onProgress?.(read);
    }
  };
  const sums = new RowSums();
  const counts = [0, 0];
  for (const [i, place] of places.entries())
    for await (const row of rowsOf(place)) {
      sums.add(row, i === 0 ? 1 : -1);
      counts[i] = (counts[i] ?? 0) + 1;
    }
  const [firstRows = 0, secondRows = 0] = counts;
  const [buckets] = sums.differing(mostSuspects);
  if (buckets === undefined) return { first: firstRows, second: secondRows, isEqual: true, differences: [] };
  const differences = await differencesOf(rowsOf(places[0]), rowsOf(places[1]), buckets);
  return { first: firstRows, second: secondRows, isEqual: false, differences };
}

/** Compares the rows of some buckets one by one. */
async function differencesOf(
  first: AsyncIterable<StoredEntity>,
  second: AsyncIterable<StoredEntity>,
  buckets: ReadonlySet<number>,
): Promise<readonly RowDifference[]> {
  const hashes = new Map<string, string>();
  const found: RowDifference[] = [];
  const note = (key: EntityKey, kind: RowDifference["found"]): void => {
    if (found.length < mostDifferences) found.push({ key, found: kind });
  };
  for await (const row of first) if (buckets.has(bucketOf(row))) hashes.set(idOf(row), hashOf(row).join());
  for await (const row of second) {
    if (!buckets.has(bucketOf(row))) continue;
    const id = idOf(row);
    const hash = hashes.get(id);
    hashes.delete(id);
    if (hash === undefined) note(keyOfStored(row), "only second");
    else if (hash !== hashOf(row).join()) note(keyOfStored(row), "changed");
  }
  for (const id of hashes.keys()) {
    const [partitionKey, rowKey] = JSON.parse(id) as [string, string];
    note({ partitionKey, rowKey }, "only first");
  }
  return found;
}

const idOf = ({ PartitionKey, RowKey }: StoredEntity): string => JSON.stringify([PartitionKey, RowKey]);
