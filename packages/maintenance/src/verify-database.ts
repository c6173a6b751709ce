import type { VerifyOptions, VerifyReport } from "./database/verify-database.ts";
import { StorageError } from "@partita/core";
import {
  abortSignal,
  aFunction,
  type CheckOptions,
  checkRuntime,
  defineOptions,
  fileOf,
} from "@partita/core/internal";

const checkOptions: CheckOptions = defineOptions<VerifyOptions>(
  "verifyDatabase(target, options)",
  { signal: abortSignal, onProgress: aFunction },
  "storage.option",
);

/**
 * Checks the file of an embedded storage: its pages, each row and its checksum, whether each row is found by its keys
 * and by scans, and whether each table holds exactly the rows that were written. The file is only read, in one
 * consistent state. This process and others may use it in the meantime.
 *
 * Problems are returned as findings, not thrown. Other tasks can run while rows are checked. SQLite's own check of the
 * pages is a single step that blocks for some seconds with a million rows.
 *
 * @param target - `file:path.db`, as `openStorage` takes it
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.cannot-open`,
 *   `storage.not-a-database`, `storage.newer-format`, `storage.older-format`, `storage.cancelled`, or `storage.damaged`
 *   if the file cannot be opened at all
 */
export async function verifyDatabase(target: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  checkRuntime();
  checkOptions(options);
  const path = pathOfFile(target, "verifyDatabase(target)");
  const { verifyDatabase } = await import("./database/verify-database.ts");
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
