import type { RepairOptions, RepairReport } from "./embedded/verify/repair-database.ts";
import { checkRuntime } from "./check-runtime.ts";
import { pathOfFile } from "./verify-database.ts";
import { abortSignal, aFunction } from "../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../values/options/define-options.ts";

const checkOptions: CheckOptions = defineOptions<RepairOptions>(
  "repairDatabase(target, into, options)",
  { signal: abortSignal, onLost: aFunction, onProgress: aFunction },
  "storage.option",
);

/**
 * Copies what is sound of a damaged file into a new one: each row whose checksum is right, with its ETag and its
 * Timestamp. The damaged file is only read. Rows that can't be read, or aren't what was written, are lost: `onLost` is
 * called for each that the table or its index still names.
 *
 * @param target - the damaged file, `file:path.db`
 * @param into - the new one, which must not exist
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.file-exists`,
 *   `storage.cannot-open`, `storage.not-a-database`, `storage.newer-format`, `storage.older-format`, `storage.cancelled`,
 *   or `storage.damaged` where SQLite can't read even the first page
 */
export async function repairDatabase(
  target: string,
  into: string,
  options: RepairOptions = {},
): Promise<RepairReport> {
  checkRuntime();
  checkOptions(options);
  const [path, newPath] = [target, into].map((file) => pathOfFile(file, "repairDatabase(target, into)")) as [
    string,
    string,
  ];
  const { repairDatabase } = await import("./embedded/verify/repair-database.ts");
  return repairDatabase(path, newPath, options);
}
