import { existsSync, statSync } from "node:fs";
import { checkFolderOf } from "../disk/named-file.ts";
import { UsageError } from "../session/usage-error.ts";

/**
 * Checks the file of a storage before it is opened. Opening a file creates it, so a misspelt name would leave
 * a file.
 *
 * @param mayCreate - whether the file may be new
 * @throws UsageError if it does not exist, or cannot be a file
 */
export function checkStorageFile(target: string, mayCreate: boolean): void {
  const file = fileIn(target);
  if (file === undefined) return;
  if (!existsSync(file)) {
    if (!mayCreate) throw new UsageError(`There is no ${file}.`);
    checkFolderOf(file);
  } else if (statSync(file).isDirectory()) throw new UsageError(`${file} is a folder. Name a file in it.`);
}

/** Whether a storage is a file that does not exist. */
export function isMissingFile(target: string): boolean {
  const file = fileIn(target);
  return file !== undefined && !existsSync(file);
}

/** A file as a storage. Users may write `file:` or leave it out. */
export const fileTarget = (file: string): string => (file.startsWith("file:") ? file : `file:${file}`);

const fileIn = (target: string): string | undefined =>
  target.startsWith("file:") && !target.startsWith("file://") ? target.slice("file:".length) : undefined;
