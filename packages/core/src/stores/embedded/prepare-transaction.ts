import { StorageError } from "../../values/errors/storage-error.ts";
import { checkNotEmpty, checkOperations } from "../../storage/check-write.ts";
import { maxTransactionBytes, maxTransactionOperations } from "../../storage/limits.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import { type PreparedOperation, prepareOperation } from "./prepare-operation.ts";

/**
 * Refuses transactions that the service would refuse, naming the operation.
 *
 * @param isFromEncoder - whether no other code could have changed the operations since the encoder made them
 * @throws StorageError
 */
export function prepareTransaction(
  operations: readonly WriteOperation[],
  isFromEncoder: boolean,
): PreparedOperation[] {
  try {
    return prepare(operations, isFromEncoder);
  } catch (error) {
    // As for one operation, values that cannot be sent are refused first.
    checkOperations(operations);
    throw error;
  }
}

function prepare(operations: readonly WriteOperation[], isFromEncoder: boolean): PreparedOperation[] {
  checkNotEmpty(operations);
  if (operations.length > maxTransactionOperations)
    throw StorageError.ofService(
      "InvalidInput",
      `${operations.length} operations exceed the limit of 100 per transaction`,
      99,
    );
  const prepared: PreparedOperation[] = [];
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as WriteOperation;
    try {
      prepared.push(prepareOperation(operation, isFromEncoder));
    } catch (error) {
      throw StorageError.is(error) ? error.atIndex(index) : error;
    }
  }
  const rowKeys = new Set<string>();
  for (let index = 0; index < prepared.length; index++) {
    const { pk, rk } = prepared[index] as PreparedOperation;
    if (pk !== prepared[0]?.pk)
      throw StorageError.ofService("CommandsInBatchActOnDifferentPartitions", undefined, index);
    if (rowKeys.has(rk)) throw StorageError.ofService("InvalidDuplicateRow", undefined, index);
    rowKeys.add(rk);
  }
  const bytes = prepared.reduce((sum, operation) => sum + operation.bytes, 0);
  if (bytes > maxTransactionBytes) throw StorageError.ofService("RequestBodyTooLarge", `${bytes} bytes`);
  return prepared;
}
