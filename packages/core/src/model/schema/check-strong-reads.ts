import type { EntityModel } from "../declaration/entity-model.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import type { TableStorage } from "../../storage/table-storage.ts";

/** @throws StorageError `storage.stale-reads` if a storage cannot keep the values of a class unique over its table */
export function checkStrongReads(
  { description, readsMayBeStale }: Pick<TableStorage, "description" | "readsMayBeStale">,
  { name, table, indexes }: EntityModel,
): void {
  const index = readsMayBeStale === true ? indexes.find(({ isOverTable }) => isOverTable) : undefined;
  if (index === undefined) return;
  throw new StorageError(
    "storage.stale-reads",
    `${name} declares ${index.name} as unique over the table ${table}, but reads of ${description} may be older than writes of other programs. If your Cosmos DB account has strong consistency, open it with { consistency: "strong" }. Otherwise, make the value unique in its partition.`,
    { applied: "no" },
  );
}
