import { rowsAsText } from "@partita/transfer";
import type { RowKey } from "../../api/cells.ts";
import type { CopiedRows } from "../../api/grid-edits.ts";
import type { FileForm } from "../../api/transfers.ts";
import type { Catalog } from "../tables/catalog.ts";
import { rowsOfKeys } from "./rows-of-keys.ts";

/** Reads complete rows by their keys, as text that the page, `importTable` and the command line read. */
export async function copyRows(
  catalog: Catalog,
  table: string,
  keys: readonly RowKey[],
  format: FileForm,
): Promise<CopiedRows> {
  const rows = await rowsOfKeys(catalog, table, keys);
  return { text: rowsAsText(rows, { format }), missing: keys.length - rows.length };
}
