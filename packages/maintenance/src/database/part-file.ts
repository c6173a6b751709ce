// A repair writes to a file with the ending `.part`, and renames it at the end. So a repair that was killed leaves no file
// that looks complete.

import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { StorageError } from "@partita/core";
import { isBusy, loadSqlite } from "@partita/core/internal/embedded";

/**
 * Creates the part of a new file. The part of a repair that was killed is deleted.
 *
 * @throws StorageError `storage.file-exists` or `storage.cannot-open`
 */
export function createPart(path: string): string {
  if (existsSync(path)) throw exists(path);
  const part = `${path}.part`;
  if (isInUse(part)) throw exists(part);
  removePart(part);
  try {
    closeSync(openSync(part, "wx", 0o600));
  } catch (cause) {
    throw new StorageError(
      "storage.cannot-open",
      `${path} cannot be created (${(cause as NodeJS.ErrnoException).code}). Check that its folder exists and is writable.`,
      { applied: "no" },
      { cause },
    );
  }
  return part;
}

/** Gives the complete file its name. @throws StorageError `storage.file-exists` */
export function completePart(part: string, path: string): void {
  if (existsSync(path)) throw exists(path);
  renameSync(part, path);
}

export function removePart(part: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${part}${end}`, { force: true });
}

/** A running repair holds the lock of its file all the time. */
function isInUse(part: string): boolean {
  if (!existsSync(part)) return false;
  const { DatabaseSync: Database } = loadSqlite();
  const database = new Database(part, { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

const exists = (path: string): StorageError =>
  new StorageError(
    "storage.file-exists",
    `${path} exists. Choose the name of a new file: repairing never changes an existing one.`,
    { applied: "no" },
  );
