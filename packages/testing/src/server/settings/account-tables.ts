import { StorageError, type TableStorage } from "@partita/core";
import { settingsTable } from "./settings-table.ts";

/**
 * The tables that are a client's to see: all but the one of the settings, which it finds missing and cannot create.
 *
 * @param changed - called when a table was created or deleted: what was set for one of its name before is not its own
 */
export function accountTables(
  storage: TableStorage,
  changed: (table: string) => Promise<void>,
): TableStorage {
  /** Does the work on a table of the account's own. */
  const on = async <Result>(
    table: string,
    code: "TableNotFound" | "ResourceNotFound" | "InvalidResourceName",
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (isSettings(table)) throw StorageError.ofService(code, table);
    return work();
  };
  return {
    description: storage.description,
    ...(storage.isUnordered !== undefined && { isUnordered: storage.isUnordered }),
    reachedTime: () => storage.reachedTime?.(),
    query: (table, query, options) => on(table, "TableNotFound", () => storage.query(table, query, options)),
    get: (table, key, options) => on(table, "TableNotFound", () => storage.get(table, key, options)),
    write: (table, operation, options) =>
      on(table, "TableNotFound", () => storage.write(table, operation, options)),
    transact: (table, operations, options) =>
      on(table, "TableNotFound", () => storage.transact(table, operations, options)),
    createTable: (table, options) =>
      on(table, "InvalidResourceName", async () => {
        await storage.createTable(table, options);
        await changed(table);
      }),
    deleteTable: (table, options) =>
      on(table, "ResourceNotFound", async () => {
        await storage.deleteTable(table, options);
        await changed(table);
      }),
    async listTables(options) {
      const names = await storage.listTables(options);
      return names.filter((name) => !isSettings(name));
    },
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

const isSettings = (table: string): boolean => table.toLowerCase() === settingsTable.toLowerCase();
