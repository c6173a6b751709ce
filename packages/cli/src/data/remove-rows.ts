import { keyOfStored } from "@partita/core/internal";
import { UsageError } from "../session/usage-error.ts";
import { changeMatching } from "./change-matching.ts";
import type { FilterOptions } from "./matching-rows.ts";
import { removeRow, type RemoveOptions } from "./one-row.ts";

/** `partita rm`: deletes one row, or the rows of a filter. */
export async function rm(args: readonly string[], options: FilterOptions & RemoveOptions): Promise<number> {
  const [storage = "", table = "", ...keys] = args;
  const { filter, etag, force, scan, yes } = options;
  if (filter === undefined) {
    if (keys.length !== 2)
      throw new UsageError("partita rm needs the PartitionKey and the RowKey of a row, or --filter.");
    if (scan !== undefined || yes !== undefined)
      throw new UsageError("--scan and --yes apply to --filter. For one row, use --force or --etag.");
    return removeRow(args, options);
  }
  if (keys.length > 0) throw new UsageError("partita rm takes keys or --filter, but not both.");
  if (etag !== undefined || force !== undefined)
    throw new UsageError("--etag and --force apply to one row. With --filter, --yes deletes without asking.");
  return changeMatching({
    storage,
    table,
    options,
    columns: [],
    done: "deleted",
    check: (rows) => rows,
    changeOf(row) {
      const [key, etagRead] = [keyOfStored(row), row["odata.etag"] ?? ""];
      return {
        key,
        etag: etagRead,
        operation: { type: "delete", key, etag: etagRead },
        isDone: (found) => found === undefined,
      };
    },
  });
}
