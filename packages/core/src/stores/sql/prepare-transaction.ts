import { StorageError } from "../../values/errors/storage-error.ts";
import { checkNotEmpty, checkOperations, prepareOne } from "../../storage/check-write.ts";
import { maxTransactionBytes, maxTransactionOperations } from "../../storage/limits.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";

/** The parts of a store's own form of an operation that the checks of a transaction need. */
export interface PreparedWrite {
  /** Key columns. */
  readonly pk: string;
  readonly rk: string;
  /** Bytes that count towards the limit of a transaction. */
  readonly bytes: number;
}

/**
 * Prepares a transaction, and refuses it if the service would, naming the operation.
 *
 * @param prepare - makes the store's form of one operation
 * @throws StorageError
 */
export function prepareTransaction<Prepared extends PreparedWrite>(
  operations: readonly WriteOperation[],
  prepare: (operation: WriteOperation) => Prepared,
): Prepared[] {
  try {
    return prepareAll(operations, prepare);
  } catch (error) {
    // As for one operation, values that cannot be sent are refused first.
    checkOperations(operations);
    throw error;
  }
}

function prepareAll<Prepared extends PreparedWrite>(
  operations: readonly WriteOperation[],
  prepare: (operation: WriteOperation) => Prepared,
): Prepared[] {
  checkNotEmpty(operations);
  if (operations.length > maxTransactionOperations)
    throw StorageError.ofService(
      "InvalidInput",
      `${operations.length} operations exceed the limit of 100 per transaction`,
      99,
    );
  const prepared: Prepared[] = [];
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as WriteOperation;
    try {
      prepared.push(prepareOne(operation, prepare));
    } catch (error) {
      throw StorageError.is(error) ? error.atIndex(index) : error;
    }
  }
  const rowKeys = new Set<string>();
  for (let index = 0; index < prepared.length; index++) {
    const { pk, rk } = prepared[index] as Prepared;
    if (pk !== prepared[0]?.pk)
      throw StorageError.ofService("CommandsInBatchActOnDifferentPartitions", undefined, index);
    if (rowKeys.has(rk)) throw StorageError.ofService("InvalidDuplicateRow", undefined, index);
    rowKeys.add(rk);
  }
  const bytes = prepared.reduce((sum, operation) => sum + operation.bytes, 0);
  if (bytes > maxTransactionBytes) throw StorageError.ofService("RequestBodyTooLarge", `${bytes} bytes`);
  return prepared;
}
