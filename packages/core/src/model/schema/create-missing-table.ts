import { createIfMissing, type CreateTableOptions } from "../../storage/create-table.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { IndexStates } from "./index-states.ts";

/**
 * Creates a table unless it exists, and clears the states recorded for an earlier table with the same name: rows that
 * are copied into the new table may lack their index rows.
 *
 * @returns whether this call definitely created it
 */
export async function createMissingTable(
  storage: TableStorage,
  table: string,
  options: CreateTableOptions = {},
): Promise<boolean> {
  const isCreated = await createIfMissing(storage, table, options);
  if (isCreated) await clearIndexStates(storage, table, options);
  return isCreated;
}

/**
 * Creates a table unless it exists, for rows that may lack their index rows: from now on, none of its indexes is built.
 */
export async function createForMovedRows(
  storage: TableStorage,
  table: string,
  options: CreateTableOptions = {},
): Promise<void> {
  await createIfMissing(storage, table, options);
  await clearIndexStates(storage, table, options);
}

/** Clears the recorded states of a table's indexes: queries use none of them until they are built again. */
export const clearIndexStates = (
  storage: TableStorage,
  table: string,
  { signal, retry }: CreateTableOptions = {},
): Promise<void> => new IndexStates(storage).clear(table, { signal, retry });
