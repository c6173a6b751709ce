import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "@partita/core";
import {
  checkIdentity,
  createRows,
  createSchema,
  loadSqlite,
  openToRead,
  type ReadOnlyFile,
} from "@partita/core/internal/embedded";

/** How long to wait for another process's lock, in milliseconds. */
const busyTimeoutMs = 5000;

/**
 * Opens a file read-only, in the state of one moment, even if other programs write meanwhile.
 *
 * @param pragma - `cell_size_check = 1` finds more damage; `writable_schema = 1` reads more of a damaged file, even if
 *   it was truncated or a declaration is invalid
 * @throws StorageError if it cannot be opened, or was not created by this library
 */
export const openToCheck = (path: string, pragma: string): Promise<ReadOnlyFile> =>
  openToRead(path, (database) => begin(database, path, pragma), busyTimeoutMs);

function begin(database: DatabaseSync, path: string, pragma: string): void {
  if (!database.isTransaction) database.exec(`PRAGMA ${pragma}; BEGIN`);
  if (checkIdentity(database, path)) return;
  throw new StorageError(
    "storage.not-a-database",
    `${path} is empty. To create a database in it, call openStorage.`,
    {
      applied: "no",
    },
  );
}

/** A database in memory with tables of these numbers, declared as this library declares them. */
export function emptyDatabase(tableIds: readonly number[]): DatabaseSync {
  const { DatabaseSync: Database } = loadSqlite();
  const database = new Database(":memory:");
  createSchema(database);
  for (const id of tableIds) createRows(database, id);
  return database;
}
