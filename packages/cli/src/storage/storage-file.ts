import { existsSync } from "node:fs";
import { UsageError } from "../session/usage-error.ts";

/**
 * Opening a file creates it, so a misspelt name would leave a file.
 *
 * @throws UsageError if the storage is a file that does not exist
 */
export function checkFileIsThere(target: string): void {
  const file =
    target.startsWith("file:") && !target.startsWith("file://") ? target.slice("file:".length) : undefined;
  if (file !== undefined && !existsSync(file)) throw new UsageError(`There is no ${file}.`);
}
