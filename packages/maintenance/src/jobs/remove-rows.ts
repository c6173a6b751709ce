import type { TableStorage } from "@partita/core";
import {
  cancelled,
  isOvertaken,
  keyOfStored,
  maxTransactionOperations,
  type Patiently,
} from "@partita/core/internal";
import { etagOf, inParallel } from "@partita/core/internal/jobs";
import type { DeleteOperation, RequestOptions, StoredEntity } from "@partita/core/storage";

/** Options for deleting rows. */
interface RemoveOptions extends RequestOptions {
  /** How each write is retried; by default not at all. */
  readonly patiently?: Patiently;
}

/** Concurrent transactions. */
const concurrency = 4;

/**
 * Deletes rows, each under the ETag it was read with: rows of one partition together, or one by one if another program
 * changed or deleted one of them.
 *
 * @returns the number of rows that this call deleted
 */
export async function removeRows(
  storage: TableStorage,
  table: string,
  rows: readonly StoredEntity[],
  { patiently = (work) => work(), ...request }: RemoveOptions,
): Promise<number> {
  const remove = async (operations: readonly DeleteOperation[]): Promise<number> => {
    const [only] = operations;
    if (only === undefined) return 0;
    if (request.signal?.aborted === true) throw cancelled(request.signal);
    try {
      if (operations.length > 1) await patiently(() => storage.transact(table, operations, request));
      else await patiently(() => storage.write(table, only, request));
      return operations.length;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
    if (operations.length === 1) return 0;
    return sum(await inParallel(operations, concurrency, (operation) => remove([operation])));
  };
  return sum(await inParallel(groupsOf(rows), concurrency, remove));
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** Deletes of one partition, as many as a transaction takes. */
function groupsOf(rows: readonly StoredEntity[]): DeleteOperation[][] {
  const groups: DeleteOperation[][] = [];
  for (const row of rows) {
    const operation: DeleteOperation = { type: "delete", key: keyOfStored(row), etag: etagOf(row) ?? "*" };
    const last = groups.at(-1);
    const isFull = last === undefined || last.length === maxTransactionOperations;
    if (isFull || last[0]?.key.partitionKey !== row.PartitionKey) groups.push([operation]);
    else last.push(operation);
  }
  return groups;
}
