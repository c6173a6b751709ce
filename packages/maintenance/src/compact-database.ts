import type { CompactOptions, CompactReport } from "./database/compact-database.ts";
import {
  abortSignal,
  aFunction,
  type CheckOptions,
  checkRuntime,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import { pathOfFile } from "./verify-database.ts";

const checkOptions: CheckOptions = defineOptions<CompactOptions>(
  "compactDatabase(target, options)",
  { busyTimeoutMs: wholeNumber(0), signal: abortSignal, onProgress: aFunction },
  "storage.option",
);

/**
 * Makes the file of an embedded storage smaller after many rows were deleted. SQLite keeps the pages of deleted rows for
 * later rows. This rewrites the file without them, as one transaction in a process of its own: if any process is killed,
 * no row is lost. Other programs can read meanwhile. Their writes wait, some seconds with a million rows; they
 * need a `busyTimeoutMs` of that length. The folder needs free space for two copies of the rows.
 *
 * ```ts
 * // Needs a file.
 * const { bytesBefore, bytesAfter } = await compactDatabase("file:blogs.db");
 * ```
 *
 * @param target - `file:path.db`, as `openStorage` takes it
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.server-busy` if another program
 *   holds the write lock for too long, `storage.full` if the disk has too little space, `storage.cancelled`,
 *   `storage.read-only`, `storage.damaged`, or another reason why the file can't be opened
 */
export async function compactDatabase(target: string, options: CompactOptions = {}): Promise<CompactReport> {
  checkRuntime();
  checkOptions(options);
  const path = pathOfFile(target, "compactDatabase(target)");
  const { compactDatabase } = await import("./database/compact-database.ts");
  return compactDatabase(path, options);
}
