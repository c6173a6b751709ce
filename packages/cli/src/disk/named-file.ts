import { closeSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../session/usage-error.ts";

/** Checks a file that a command reads. @throws UsageError if it is missing or a folder */
export function checkInput(file: string): void {
  const found = statOf(file);
  if (found === undefined) throw new UsageError(`There is no ${file}.`);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder. Name a file.`);
}

/**
 * Checks a file before a command writes it.
 *
 * @param force - whether an existing file may be replaced; a database, a folder or a device never is
 * @throws UsageError
 */
export function checkOutput(file: string, force: boolean): void {
  const found = statOf(file);
  if (found === undefined) return checkFolderOf(file);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder. Name a file in it.`);
  if (!found.isFile())
    throw new UsageError(`${file} is not a regular file. Redirect standard output to it instead.`);
  if (!force) throw new UsageError(`${file} already exists. --force replaces it.`);
  if (isDatabase(file))
    throw new UsageError(`${file} is a database, which is never replaced. Name another file.`);
}

/** @throws UsageError if the folder of a new file does not exist */
export function checkFolderOf(file: string): void {
  const folder = dirname(file);
  const found = statOf(folder);
  if (found === undefined) throw new UsageError(`There is no folder ${folder}. Create it first.`);
  if (!found.isDirectory()) throw new UsageError(`${folder} is not a folder.`);
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // A parent of it is a file.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Source: sqlite.org "Database File Format". */
const header = "SQLite format 3\0";

function isDatabase(file: string): boolean {
  const start = Buffer.alloc(header.length);
  const opened = openSync(file, "r");
  try {
    readSync(opened, start);
  } finally {
    closeSync(opened);
  }
  return start.toString("latin1") === header;
}
