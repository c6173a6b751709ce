import { createIfMissing, type CreateTableOptions } from "../storage/create-table.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { IndexStates } from "./index-states.ts";

/**
 * Creates a table unless it exists, and clears what was recorded of an earlier table of its name: the rows that come into the
 * new one may lack their index rows.
 *
 * @returns whether this call certainly created it
 */
export async function createMissingTable(
  storage: TableStorage,
  table: string,
  options: CreateTableOptions = {},
): Promise<boolean> {
  const isCreated = await createIfMissing(storage, table, options);
  const { signal, retry } = options;
  if (isCreated) await new IndexStates(storage).clear(table, { signal, retry });
  return isCreated;
}
