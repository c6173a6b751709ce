import type { StoredEntity } from "@partita/core/storage";
import type { RowKey } from "../../api/cells.ts";
import type { Catalog } from "../tables/catalog.ts";

/** Concurrent reads of rows by their keys. */
const maxReads = 16;

/** Reads complete rows by their keys, and passes on rows that are read already. Rows that don't exist are left out. */
export async function rowsOfKeys(
  { core, reads }: Catalog,
  table: string,
  keys: readonly (RowKey | StoredEntity)[],
): Promise<readonly StoredEntity[]> {
  const requests = new core.Semaphore(maxReads);
  const found = await Promise.all(
    keys.map(async (key) => ("PartitionKey" in key ? key : requests.run(() => reads.get(table, key)))),
  );
  return found.filter((row): row is StoredEntity => row !== undefined);
}
