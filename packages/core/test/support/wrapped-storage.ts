import type { TableStorage } from "../../src/index.ts";
import type { StoredPage, StoredEntity, WriteOperation } from "../../src/storage.ts";

/**
 * A storage as a user of the library may wrap one: it hands out copies of rows, and passes copies of operations on. Nothing
 * of what our stores do beyond their public port reaches through it.
 */
export function wrapped(storage: TableStorage): TableStorage {
  return {
    description: storage.description,
    ...(storage.isUnordered !== undefined && { isUnordered: storage.isUnordered }),
    ...(storage.readsMayBeStale !== undefined && { readsMayBeStale: storage.readsMayBeStale }),
    ...(storage.readsBackwards !== undefined && { readsBackwards: storage.readsBackwards }),
    ...(storage.reachedTime !== undefined && { reachedTime: () => storage.reachedTime?.() }),
    query: async (table, query, options) => copyOfPage(await storage.query(table, query, options)),
    get: async (table, key, options) => copyOf(await storage.get(table, key, options)),
    write: (table, operation, options) => storage.write(table, copyOfWrite(operation), options),
    transact: (table, operations, options) =>
      storage.transact(table, Array.isArray(operations) ? operations.map(copyOfWrite) : operations, options),
    createTable: (table, options) => storage.createTable(table, options),
    deleteTable: (table, options) => storage.deleteTable(table, options),
    listTables: (options) => storage.listTables(options),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

const copyOfPage = ({ entities, ...rest }: StoredPage): StoredPage => ({
  ...rest,
  entities: entities.map((row) => copyOf(row)),
});

const copyOf = <Row extends StoredEntity | undefined>(row: Row): Row => row && { ...row };

function copyOfWrite(operation: WriteOperation): WriteOperation {
  if (operation?.type === "delete" || operation?.entity === undefined) return operation;
  return { ...operation, entity: copyOf(operation.entity) } as WriteOperation;
}
