import { forwardStorage } from "./forward-storage.ts";
import { forwardEngine, hasRowBytes } from "./store-engine.ts";
import type { TableStorage } from "./table-storage.ts";

/** The same storage with `prefix` before every table name; it hides tables without the prefix. */
export function prefixTables(storage: TableStorage, prefix: string): TableStorage {
  const prefixed = forwardStorage(storage, {
    query: (table, query, options) => storage.query(prefix + table, query, options),
    get: (table, key, options) => storage.get(prefix + table, key, options),
    write: (table, operation, options) => storage.write(prefix + table, operation, options),
    transact: (table, operations, options) => storage.transact(prefix + table, operations, options),
    createTable: (table, options) => storage.createTable(prefix + table, options),
    deleteTable: (table, options) => storage.deleteTable(prefix + table, options),
    async listTables(options) {
      const names = await storage.listTables(options);
      return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    },
  });
  forwardEngine(prefixed, (table) => ({ storage, table: prefix + table }), hasRowBytes(storage));
  return prefixed;
}
