import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../values/errors/storage-error.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import { inTransaction } from "./in-transaction.ts";
import type { FixedFiles } from "./fixed-files.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { OpenFiles } from "./open-files.ts";
import { mayWrite, openToRead } from "./open-to-read.ts";
import { applicationId, createSchema, formatVersion, unreleasedId } from "./schema.ts";
import { isCannotOpen, toStorageError } from "./sqlite-errors.ts";

export interface DatabaseFileOptions {
  /** `full`: durable when a promise resolves. `normal`: survives a crash of the process, not a power loss. */
  readonly durability: "full" | "normal";
  readonly busyTimeoutMs: number;
}

/** An open database. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** The files it is in; undefined for memory. */
  readonly files: OpenFiles | undefined;
  /** Opens another connection, which only reads. */
  readonly connect: () => DatabaseSync;
  /** For files that are read without locks. */
  readonly fixed?: FixedFiles | undefined;
}

/**
 * Opens or creates a database file (`:memory:` for none), readable by its owner only. A file that this process may not
 * write, or in a folder that it may not write, is opened for reading only: SQLite refuses each write.
 *
 * @throws StorageError `storage.cannot-open`, `storage.read-only`, `storage.not-a-database`, `storage.newer-format`,
 *   `storage.older-format`, `storage.damaged`, `storage.file-replaced`, `storage.server-busy` or `storage.no-sqlite`
 */
export async function openDatabaseFile(path: string, options: DatabaseFileOptions): Promise<OpenDatabase> {
  const sqlite = loadSqlite();
  const isFile = path !== ":memory:";
  if (isFile) ensureFile(path);
  const files = isFile ? new OpenFiles(resolve(path), path) : undefined;
  if (isFile && !mayWrite(path)) return openReadOnly(path, files, options);
  let database: DatabaseSync | undefined;
  try {
    const opened = new sqlite.DatabaseSync(path, { timeout: 0 });
    database = opened;
    await retryWhileBusy(() => prepare(opened, path, options), options.busyTimeoutMs);
    files?.addLog();
    files?.check();
    // Absolute, since the process may change its folder before the next connection is opened.
    const absolute = isFile ? resolve(path) : path;
    const connect = (): DatabaseSync => new sqlite.DatabaseSync(absolute, { readOnly: true, timeout: 0 });
    return { database: opened, files, connect };
  } catch (error) {
    database?.close();
    // In a read-only folder, SQLite can't create its log.
    if (isCannotOpen(error) && isThere(path)) return openReadOnly(path, files, options);
    throw toStorageError(error, path);
  }
}

async function openReadOnly(
  path: string,
  files: OpenFiles | undefined,
  { busyTimeoutMs }: DatabaseFileOptions,
): Promise<OpenDatabase> {
  const begin = (database: DatabaseSync): void => {
    if (!inTransaction(database, "BEGIN", () => checkIdentity(database, path))) throw readOnly(path);
  };
  return { ...(await openToRead(path, begin, busyTimeoutMs)), files };
}

/**
 * Creates the file with owner-only permissions; SQLite would use the default ones. An existing file is not opened:
 * closing it would release the locks of this process's other connections.
 */
function ensureFile(path: string): void {
  if (isThere(path)) return;
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") throw readOnly(path, cause);
    throw new StorageError(
      "storage.cannot-open",
      `${path} cannot be opened (${code}). Check that its folder exists and that it is a file.`,
      { applied: "no" },
      { cause },
    );
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const readOnly = (path: string, cause?: unknown): StorageError =>
  new StorageError(
    "storage.read-only",
    `${path} cannot be written: the file or its folder is read-only. Choose a folder that you may write to.`,
    { applied: "no" },
    { cause },
  );

/**
 * Pages of 4 KiB in the log before a checkpoint: 16 MiB. Inserts in random order often change the same index pages, and
 * a checkpoint writes each page once. With SQLite's default of a thousand, such inserts take a fifth longer.
 */
const pagesPerCheckpoint = 4000;

function prepare(database: DatabaseSync, path: string, { durability }: DatabaseFileOptions): void {
  // A transaction, since another process may be creating the file.
  const isNew = inTransaction(database, "BEGIN", () => !checkIdentity(database, path));
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${pagesPerCheckpoint};
     PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"};`,
  );
  if (durability === "full") database.exec("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1;");
  // Readers need not wait for a writer.
  if (!isNew) return;
  inTransaction(database, "BEGIN IMMEDIATE", () => {
    // Check again under the lock: another process may have created it meanwhile.
    if (!checkIdentity(database, path)) createSchema(database);
  });
}

/**
 * Whether this library created the file; false if it is empty.
 *
 * @throws StorageError if it belongs to another program, or has a format that this version does not support
 */
export function checkIdentity(database: DatabaseSync, path: string): boolean {
  const id = pragma(database, "application_id");
  const version = pragma(database, "user_version");
  if (id === unreleasedId || (id === applicationId && version < formatVersion))
    throw unreleased(path, version);
  if (id === applicationId && version === formatVersion) return true;
  if (id === applicationId)
    throw new StorageError(
      "storage.newer-format",
      `${path} was written by a newer version of this library (format ${version}; this one reads format ${formatVersion}). Update the library.`,
      { applied: "no" },
    );
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (id === 0 && version === 0 && tables.n === 0) return false;
  throw new StorageError(
    "storage.not-a-database",
    `${path} is a database of another program. Choose another file.`,
    { applied: "no" },
  );
}

const unreleased = (path: string, version: number): StorageError =>
  new StorageError(
    "storage.older-format",
    `${path} has format ${version}, from before the first release. This version cannot read it. ` +
      "Export it with the version that wrote it (`partita backup`), and restore it into a new file.",
    { applied: "no" },
  );

function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
