import { StorageError, type TableStorage } from "@partita/core";
import { forwardEngine, hasRowBytes, isInternalTable } from "@partita/core/internal";
import { ServiceFault } from "../wire/service-fault.ts";
import { settingsTable } from "../settings/settings-table.ts";

/**
 * The tables of an account, without the server's settings table.
 *
 * @param around - creates or deletes a table by `change`, and removes the settings of a former table with its name
 */
export function accountTables(storage: TableStorage, around: AroundChange): TableStorage {
  const isSettings = (table: string): boolean => table.toLowerCase() === settingsTable.toLowerCase();
  return hideTables(() => storage, isSettings, around);
}

type AroundChange = (table: string, change: () => Promise<void>) => Promise<void>;

/**
 * The tables that other clients than Partita see: all except Partita's internal tables. Otherwise, a clean-up that
 * deletes every visible table would delete every queue.
 *
 * @param tables - returns the account's tables; called for each request
 */
export const foreignTables = (tables: () => TableStorage): TableStorage =>
  hideTables(tables, isInternalTable);

/** Whether a request comes from Partita's client, whose upgrades, indexes, queues and workflows use internal tables. */
export const isOwnClient = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && /(?:^| )partita\//.test(userAgent);

/** A storage that hides some tables and prevents their creation. */
function hideTables(
  storage: () => TableStorage,
  isHidden: (table: string) => boolean,
  around: AroundChange = (_table, change) => change(),
): TableStorage {
  /** Runs work on a table that is not hidden. */
  const on = async <Result>(
    table: string,
    code: "TableNotFound" | "ResourceNotFound",
    work: (shown: TableStorage) => Promise<Result>,
  ): Promise<Result> => {
    if (isHidden(table)) throw StorageError.ofService(code, table);
    return work(storage());
  };
  const first = storage();
  const { description, isUnordered } = first;
  const shown: TableStorage = {
    description,
    ...(isUnordered !== undefined && { isUnordered }),
    reachedTime: () => storage().reachedTime?.(),
    query: (table, query, options) =>
      on(table, "TableNotFound", (shown) => shown.query(table, query, options)),
    get: (table, key, options) => on(table, "TableNotFound", (shown) => shown.get(table, key, options)),
    write: (table, operation, options) =>
      on(table, "TableNotFound", (shown) => shown.write(table, operation, options)),
    transact: (table, operations, options) =>
      on(table, "TableNotFound", (shown) => shown.transact(table, operations, options)),
    async createTable(table, options) {
      if (isHidden(table)) throw new ServiceFault("InvalidResourceName", { message: reserved(table) });
      await around(table, () => storage().createTable(table, options));
    },
    deleteTable: (table, options) =>
      on(table, "ResourceNotFound", (shown) => around(table, () => shown.deleteTable(table, options))),
    async listTables(options) {
      const names = await storage().listTables(options);
      return names.filter((name) => !isHidden(name));
    },
    close: () => storage().close(),
    [Symbol.asyncDispose]: () => storage().close(),
  };
  const inner = (table: string): { readonly storage: TableStorage; readonly table: string } => {
    if (isHidden(table)) throw StorageError.ofService("TableNotFound", table);
    return { storage: storage(), table };
  };
  forwardEngine(shown, inner, hasRowBytes(first));
  return shown;
}

const reserved = (table: string): string =>
  `The name ${table} is reserved for Partita's own rows. Choose another name.`;
