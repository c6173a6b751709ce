import type { RequestOptions, TableStorage } from "./table-storage.ts";
import { plainOf, type WriteOperation, type WriteResult } from "./write-operation.ts";

/** A transaction's operations as they are handed over: the list itself is what is marked, and no copy of it. */
type Operations = readonly WriteOperation[];
type Transact = TableStorage["transact"];

/** Lists whose new rows were made by the encoder a moment ago, which has checked every name and value in them. */
const encoded = new WeakSet<Operations>();

/** Stores that take encoded rows, and need not check those of marked lists once more; each with its own `transact`. */
const receivers = new WeakMap<TableStorage, Transact>();

/** Marks operations whose inserts and replacing upserts the encoder has made. The list must be in nobody else's hands. */
export const markEncoded = (operations: Operations): void => void encoded.add(operations);

/** Whether a list is marked. It is so once: what is done to it afterwards is checked. */
export const takeEncoded = (operations: Operations): boolean => encoded.delete(operations);

/** Makes a store one that takes marked lists, and encoded rows. */
export const receiveEncoded = (storage: TableStorage, transact: Transact): void =>
  void receivers.set(storage, transact);

/**
 * Hands a transaction to the storage of a context. Marks and encoded rows go with it to a store of our own only, as they
 * were made: between here and there, a storage of somebody else, or a method that was replaced, may change what is written.
 */
export function transactEncoded(
  storage: TableStorage,
  table: string,
  operations: Operations,
  options: RequestOptions | undefined,
): Promise<readonly WriteResult[]> {
  // Read once: what is compared is what is called.
  const transact = Reflect.get(storage, "transact") as Transact;
  if (receivers.get(storage) === transact) return transact.call(storage, table, operations, options);
  encoded.delete(operations);
  return transact.call(storage, table, operations.map(plainOf), options);
}
