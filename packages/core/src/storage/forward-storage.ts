import { markCopy } from "../values/errors/brand.ts";
import { checkCopy } from "../values/errors/second-copy.ts";
import type { TableStorage } from "./table-storage.ts";

/** A storage that overrides some methods of another one and forwards all others to it. */
export function forwardStorage(storage: TableStorage, changed: Partial<TableStorage>): TableStorage {
  checkCopy(storage, "The storage");
  const forwarding: TableStorage = {
    description: storage.description,
    ...(storage.isUnordered !== undefined && { isUnordered: storage.isUnordered }),
    ...(storage.readsMayBeStale !== undefined && { readsMayBeStale: storage.readsMayBeStale }),
    ...(storage.readsBackwards !== undefined && { readsBackwards: storage.readsBackwards }),
    ...(storage.reachedTime !== undefined && { reachedTime: storage.reachedTime.bind(storage) }),
    ...(storage.signals !== undefined && { signals: storage.signals }),
    query: (table, query, options) => storage.query(table, query, options),
    get: (table, key, options) => storage.get(table, key, options),
    write: (table, operation, options) => storage.write(table, operation, options),
    transact: (table, operations, options) => storage.transact(table, operations, options),
    createTable: (table, options) => storage.createTable(table, options),
    deleteTable: (table, options) => storage.deleteTable(table, options),
    listTables: (options) => storage.listTables(options),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
    ...changed,
  };
  markCopy(forwarding);
  return forwarding;
}
