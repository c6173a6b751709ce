import type { StagedChanges } from "../staged/staged-changes.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "./catalog.ts";

/** Creates a table. One that classes declare gets what their contexts need. */
export async function createTable(catalog: Catalog, table: string): Promise<void> {
  const { core, storage } = catalog;
  const stored = await storage.listTables();
  if (stored.some((name) => name.toLowerCase() === table.toLowerCase()))
    throw RequestError.wrongInput(`The storage already has the table ${table}.`, "table");
  const classes = catalog.classesOf(table).map(({ entityClass }) => entityClass);
  if (classes.length > 0) await core.createTables(storage, classes);
  else await storage.createTable(table);
}

/**
 * Deletes a table with all rows.
 *
 * @param confirmed - the table's name, as the user typed it
 * @throws RequestError if it differs, or for a table with staged changes, which could not be saved any more
 */
export async function dropTable(
  { storage }: Catalog,
  staged: StagedChanges,
  table: string,
  confirmed: string,
): Promise<void> {
  if (confirmed !== table)
    throw RequestError.wrongInput(`Type ${table} to delete this table with all of its rows.`, "confirmed");
  const open = staged.list().filter((change) => change.table === table).length;
  if (open > 0)
    throw RequestError.wrongInput(
      `${open} staged changes are in this table. Save or discard them before you delete it.`,
    );
  await storage.deleteTable(table);
}
