import type { Clock, FilterNode, RequestOptions, StoredEntity, StoredQuery } from "@partita/core/storage";
import { StorageError, type TableStorage } from "@partita/core";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import { followPages, isOvertaken, maxTransactionOperations } from "@partita/core/internal";
import { queueError } from "../port/queue-errors.ts";

/** The table of queues, with shared settings. */
export interface QueueTable {
  readonly storage: TableStorage;
  readonly table: string;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Makes rising ULIDs. */
  readonly newId: () => string;
}

export const isMissingTable = (error: unknown): boolean =>
  StorageError.is(error) && error.serviceCode === "TableNotFound";

/** Whether a write failed because its row no longer exists or was changed. */
export const isRaceLost = (error: unknown): boolean => isOvertaken(error) && !isMissingTable(error);

/** If the table was deleted, all of its queues were deleted too. */
export function asQueueError(error: unknown, queue: string): unknown {
  return isMissingTable(error) ? queueError("QueueNotFound", queue) : error;
}

/** The rows of a partition with a RowKey below `end`, or all of them. */
export const rowsOf = (partition: string, end?: string): FilterNode =>
  allOf([
    compare("eq", "PartitionKey", textLiteral(partition)),
    ...(end === undefined ? [] : [compare("lt", "RowKey", textLiteral(end))]),
  ]) as FilterNode;

/** Reads the rows of a query, one by one. */
export async function* rowsWhere(
  { storage, table }: QueueTable,
  query: StoredQuery,
  request: RequestOptions,
): AsyncGenerator<StoredEntity> {
  for await (const { entities } of followPages(storage, table, query, request)) yield* entities;
}

/**
 * Deletes rows of one partition in any version: together, and one by one if some no longer exist.
 *
 * @returns the number of rows deleted here
 */
export async function removeTogether(
  { storage, table }: QueueTable,
  rows: readonly StoredEntity[],
  request: RequestOptions,
): Promise<number> {
  let removed = 0;
  for (let at = 0; at < rows.length; at += maxTransactionOperations) {
    const operations = rows.slice(at, at + maxTransactionOperations).map((row) => removalOf(row));
    try {
      await storage.transact(table, operations, request);
      removed += operations.length;
    } catch (error) {
      if (!isRaceLost(error)) throw error;
      for (const operation of operations)
        if (await wasRemoved(storage.write(table, operation, request))) removed++;
    }
  }
  return removed;
}

/** A RowKey identifies one version of a message, so no ETag is needed. */
export const removalOf = ({
  PartitionKey: partitionKey,
  RowKey: rowKey,
}: Pick<StoredEntity, "PartitionKey" | "RowKey">): {
  readonly type: "delete";
  readonly key: { readonly partitionKey: string; readonly rowKey: string };
  readonly etag: string;
} => ({ type: "delete", key: { partitionKey, rowKey }, etag: "*" });

async function wasRemoved(removal: Promise<unknown>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (isRaceLost(error)) return false;
    throw error;
  }
}
