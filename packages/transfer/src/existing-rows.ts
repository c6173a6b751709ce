import { annotationOf, isSystemName } from "@partita/core/protocol";
import { type Check, followPages, oneOf, setMember, type StoredEntityDraft } from "@partita/core/internal";
import { StorageError, type TableStorage } from "@partita/core";
import type { RequestOptions, StoredEntity, WriteOperation } from "@partita/core/storage";

/**
 * How to treat rows that the target already has:
 *
 * - `refuse` (default): rows are only inserted. If the table has rows at the start, nothing is written. If a row
 *   with the same key appears meanwhile, the work stops with an error that names the key. Equal rows are not an
 *   error, because they may come from an earlier attempt without a response.
 * - `replace`: overwrites rows with the same keys.
 * - `merge`: writes into rows with the same keys, and leaves their other properties.
 * - `skip`: leaves rows with the same keys unchanged.
 */
export type ExistingRows = "refuse" | "replace" | "merge" | "skip";

export const existingRowsCheck: Check<ExistingRows> = oneOf("refuse", "replace", "merge", "skip");

/** The operation that writes a row. */
export function operationOf(existing: ExistingRows, entity: StoredEntity): WriteOperation {
  switch (existing) {
    case "replace":
      return { type: "upsert-replace", entity };
    case "merge":
      return { type: "upsert-merge", entity };
    case "refuse":
    case "skip":
      return { type: "insert", entity };
    default:
      return existing satisfies never;
  }
}

/** Whether a table has any rows. A table that does not exist has none. */
export async function hasRows(
  storage: TableStorage,
  table: string,
  options: RequestOptions,
): Promise<boolean> {
  const query = { top: 1, select: ["PartitionKey", "RowKey"] };
  try {
    for await (const { entities } of followPages(storage, table, query, options))
      if (entities.length > 0) return true;
    return false;
  } catch (error) {
    if (StorageError.is(error) && error.code === "storage.table-not-found") return false;
    throw error;
  }
}

/** A row after another one was merged into it. */
export function mergedRow(row: StoredEntity, later: StoredEntity): StoredEntity {
  const merged: StoredEntityDraft = { ...row };
  for (const name of Object.keys(later)) {
    if (isSystemName(name)) continue;
    delete merged[annotationOf(name)];
    setMember(merged, name, later[name]);
  }
  for (const name of Object.keys(later)) if (name.includes("@")) merged[name] = later[name];
  return merged;
}
