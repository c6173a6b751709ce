import { rowsAsText } from "@partita/transfer";
import type { StoredEntity } from "@partita/core/storage";
import type { RowKey } from "../../api/cells.ts";
import type { CopiedRows } from "../../api/grid-edits.ts";
import type { FileForm } from "../../api/transfers.ts";
import type { Catalog } from "../tables/catalog.ts";

/** Concurrent reads of rows by their keys. */
const maxReads = 16;

/** Reads complete rows by their keys, as text that the page, `importTable` and the command line read. */
export async function copyRows(
  { core, reads }: Catalog,
  table: string,
  keys: readonly RowKey[],
  format: FileForm,
): Promise<CopiedRows> {
  const requests = new core.Semaphore(maxReads);
  const found = await Promise.all(keys.map((key) => requests.run(() => reads.get(table, key))));
  const rows = found.filter((row): row is StoredEntity => row !== undefined);
  return { text: rowsAsText(rows, { format }), missing: keys.length - rows.length };
}
