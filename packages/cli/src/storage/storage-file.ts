import { existsSync } from "node:fs";
import { UsageError } from "../session/usage-error.ts";

/**
 * Opening a file makes it: one whose name is misspelt is not to be there afterwards.
 *
 * @throws UsageError where a storage is a file that does not exist
 */
export function checkFileIsThere(target: string): void {
  const file =
    target.startsWith("file:") && !target.startsWith("file://") ? target.slice("file:".length) : undefined;
  if (file !== undefined && !existsSync(file)) throw new UsageError(`There is no ${file}.`);
}
