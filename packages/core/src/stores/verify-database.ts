import type { VerifyOptions, VerifyReport } from "./embedded/verify/verify-database.ts";
import { checkRuntime } from "./check-runtime.ts";
import { StorageError } from "../values/errors/storage-error.ts";
import { fileOf } from "./open-storage.ts";
import { abortSignal, aFunction } from "../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../values/options/define-options.ts";

const checkOptions: CheckOptions = defineOptions<VerifyOptions>(
  "verifyDatabase(target, options)",
  { signal: abortSignal, onProgress: aFunction },
  "storage.option",
);

/**
 * Checks the file of an embedded store: its pages, each row and its checksum, that each row is found by its keys and by
 * scans, and that the rows of each table are those that were written. The file is only read, in one state, and may be in
 * use meanwhile, by this process and by others.
 *
 * Findings are reported, not thrown. The event loop turns while rows are checked; SQLite's own check of the pages is one
 * step, which takes some seconds for a million rows.
 *
 * @param target - `file:path.db`, as `openStorage` takes it
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.cannot-open`,
 *   `storage.not-a-database`, `storage.newer-format`, `storage.older-format`, `storage.cancelled`, or `storage.damaged`
 *   where the file cannot even be opened
 */
export async function verifyDatabase(target: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  checkRuntime();
  checkOptions(options);
  const path = pathOfFile(target, "verifyDatabase(target)");
  const { verifyDatabase } = await import("./embedded/verify/verify-database.ts");
  return verifyDatabase(path, options);
}

/** The path of a target that must be a file. @throws StorageError `storage.unknown-target` */
export function pathOfFile(target: string, call: string): string {
  const path = typeof target === "string" ? fileOf(target) : undefined;
  if (path !== undefined) return path;
  throw new StorageError("storage.unknown-target", `${call} takes a file: "file:path.db".`, {
    applied: "no",
  });
}
