import { maxTransactionBytes, maxTransactionOperations } from "./limits.ts";
import { jsonBytesOf, type WriteOperation } from "./write-operation.ts";

/** Bytes of an operation in a transaction, without its row: each operation in a request has its own headers. */
const operationBytes = 1024;

/** Bytes of an operation in a transaction. */
export const bytesInTransaction = (operation: WriteOperation): number =>
  operationBytes + jsonBytesOf(operation);

/**
 * Splits writes of rows into groups for one transaction each, in order.
 *
 * @param partOf - the partition of a write, and its bytes in the transaction
 */
export function* transactionGroups<Write>(
  writes: Iterable<Write>,
  partOf: (write: Write) => readonly [partitionKey: string, bytes: number],
): Generator<readonly Write[]> {
  let group: Write[] = [];
  let [partition, bytes] = ["", 0];
  for (const write of writes) {
    const [partitionKey, size] = partOf(write);
    const fits =
      partitionKey === partition &&
      group.length < maxTransactionOperations &&
      bytes + size <= maxTransactionBytes;
    if (group.length > 0 && !fits) {
      yield group;
      [group, bytes] = [[], 0];
    }
    partition = partitionKey;
    group.push(write);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
