import { StorageError, type TableStorage } from "@partita/core";
import { forwardEngine, hasRowBytes, isInternalTable } from "@partita/core/internal";
import { ServiceFault } from "../wire/service-fault.ts";
import { settingsTable } from "../settings/settings-table.ts";

/**
 * The tables of an account: all but the one of the server's own settings.
 *
 * @param changed - called when a table was created or deleted: what was set for one of its name before is not its own
 */
export function accountTables(
  storage: TableStorage,
  changed: (table: string) => Promise<void>,
): TableStorage {
  const isSettings = (table: string): boolean => table.toLowerCase() === settingsTable.toLowerCase();
  return hideTables(() => storage, isSettings, changed);
}

/**
 * The tables that clients other than Partita's own see: all but those that Partita makes for its own rows. A clean-up that
 * deletes every table it finds would else delete every queue.
 *
 * @param tables - the account's tables; asked for with each request
 */
export const foreignTables = (tables: () => TableStorage): TableStorage =>
  hideTables(tables, isInternalTable);

/** Whether a request is of Partita's own client, whose upgrades, indexes, queues and workflows use internal tables. */
export const isOwnClient = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && /(?:^| )partita\//.test(userAgent);

/** A storage where some tables are missing, and cannot be created. */
function hideTables(
  storage: () => TableStorage,
  isHidden: (table: string) => boolean,
  changed: (table: string) => Promise<void> = async () => undefined,
): TableStorage {
  /** Does the work on a table that is not hidden. */
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
      await storage().createTable(table, options);
      await changed(table);
    },
    deleteTable: (table, options) =>
      on(table, "ResourceNotFound", async (shown) => {
        await shown.deleteTable(table, options);
        await changed(table);
      }),
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
  `The name ${table} is reserved for Partita's own rows: give the table another name.`;
