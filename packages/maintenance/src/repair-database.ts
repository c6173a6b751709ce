import type { RepairOptions, RepairReport } from "./database/repair-database.ts";
import {
  abortSignal,
  aFunction,
  type CheckOptions,
  checkRuntime,
  defineOptions,
} from "@partita/core/internal";
import { pathOfFile } from "./verify-database.ts";

const checkOptions: CheckOptions = defineOptions<RepairOptions>(
  "repairDatabase(target, into, options)",
  { signal: abortSignal, onLost: aFunction, onProgress: aFunction },
  "storage.option",
);

/**
 * Copies the undamaged rows of a damaged file into a new file: each row with a correct checksum, with its ETag and its
 * Timestamp. The damaged file is only read. Rows that cannot be read, or that differ from what was written, are lost:
 * `onLost` is called for each of them that the table or its index still lists.
 *
 * @param target - the damaged file, `file:path.db`
 * @param into - the new file, which must not exist
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.file-exists`,
 *   `storage.cannot-open`, `storage.not-a-database`, `storage.newer-format`, `storage.older-format`,
 *   `storage.cancelled`, or `storage.damaged` if SQLite cannot read even the first page
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
  const { repairDatabase } = await import("./database/repair-database.ts");
  return repairDatabase(path, newPath, options);
}
