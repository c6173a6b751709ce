// A file in WAL mode needs two more files: the log, and an index of the log that holds SQLite's locks. In a read-only
// folder, SQLite can't create them. This file opens a database that may only be read, without losing the rows of a log.

import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StorageError } from "../../values/errors/storage-error.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import { FixedFiles } from "./fixed-files.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { isCannotOpen, toStorageError } from "./sqlite-errors.ts";

/** A connection that only reads, and how to open more of them. */
export interface ReadOnlyFile {
  readonly database: DatabaseSync;
  readonly connect: () => DatabaseSync;
  /** For files that are read without locks; undefined if SQLite's locks protect each read. */
  readonly fixed: FixedFiles | undefined;
}

/** Whether this process may write to an existing file. Its folder may still be read-only. */
export const mayWrite = (path: string): boolean => isAccessible(path, constants.W_OK);

/**
 * Opens an existing file for reading only.
 *
 * - If SQLite can use the log and its index, it coordinates this reader with programs that write.
 * - A log without an index is read without locks: SQLite builds the index in memory.
 * - Without a log, the database is opened as immutable.
 *
 * @param begin - the first statements on the connection; repeated while another process holds a lock
 * @throws StorageError `storage.cannot-open`, or the errors of `begin`
 */
export async function openToRead(
  path: string,
  begin: (database: DatabaseSync) => void,
  busyTimeoutMs: number,
): Promise<ReadOnlyFile> {
  try {
    const real = realpathSync(path);
    if (mayWrite(real) || (existsSync(`${real}-wal`) && existsSync(`${real}-shm`))) {
      const shared = await tryShared(real, begin, busyTimeoutMs);
      if (shared !== undefined) return shared;
    }
    return openFixed(real, path, begin);
  } catch (error) {
    if (isCannotOpen(error) || !existsSync(path)) throw unreadable(path, error);
    throw toStorageError(error, path);
  }
}

/** Undefined if SQLite can't use the log or its index. */
async function tryShared(
  path: string,
  begin: (database: DatabaseSync) => void,
  busyTimeoutMs: number,
): Promise<ReadOnlyFile | undefined> {
  const connect = (): DatabaseSync => connectTo(path, "");
  let database: DatabaseSync | undefined;
  try {
    const opened = connect();
    database = opened;
    await retryWhileBusy(() => begin(opened), busyTimeoutMs);
    return { database, connect, fixed: undefined };
  } catch (error) {
    database?.close();
    if (isCannotOpen(error)) return undefined;
    throw error;
  }
}

function openFixed(path: string, shown: string, begin: (database: DatabaseSync) => void): ReadOnlyFile {
  const fixed = new FixedFiles(path, shown);
  const url = pathToFileURL(path);
  const isWhole = fixed.isWhole;
  url.search = isWhole ? "immutable=1" : `vfs=${process.platform === "win32" ? "win32-none" : "unix-none"}`;
  // With exclusive access, SQLite keeps the index of the log in memory.
  const connect = (): DatabaseSync => connectTo(url, isWhole ? "" : "PRAGMA locking_mode = EXCLUSIVE");
  const database = connect();
  try {
    fixed.read(() => begin(database));
    return { database, connect, fixed };
  } catch (error) {
    database.close();
    throw error;
  }
}

function connectTo(location: string | URL, pragma: string): DatabaseSync {
  const { DatabaseSync: Database } = loadSqlite();
  const database = new Database(location, { readOnly: true, timeout: 0, defensive: false });
  if (pragma !== "") database.exec(pragma);
  return database;
}

function unreadable(path: string, cause: unknown): StorageError {
  const hasLog = isAccessible(path, constants.R_OK) && !new FixedFiles(realpathSync(path), path).isWhole;
  const reason = hasLog
    ? "cannot be opened: its -wal or -journal file holds changes that this user may not read. Make that file readable, or copy both files to a folder that you may write to."
    : "cannot be opened. Check that it exists and that this user may read it.";
  return new StorageError("storage.cannot-open", `${path} ${reason}`, { applied: "no" }, { cause });
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
