import { exportTable, rowsAsText } from "@partita/transfer";
import type { StoredEntity } from "@partita/core/storage";
import type { ExportRequest, FileForm } from "../../api/transfers.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { parseQuery } from "../rows/parse-query.ts";
import type { RowQueries } from "../rows/query-rows.ts";
import { rowsOfKeys } from "../rows/rows-of-keys.ts";
import type { Catalog } from "../tables/catalog.ts";
import { classRows } from "./class-rows.ts";

/** A source of rows that can be read again. */
type RowPages = () => AsyncIterable<readonly StoredEntity[]>;

/**
 * Exports the rows of a table, of a query or of a selection as text.
 *
 * @throws RequestError for a scan that is not allowed, or for selected rows that no longer exist
 */
export function exportRows(
  catalog: Catalog,
  queries: RowQueries,
  asked: ExportRequest,
  signal: AbortSignal,
): AsyncIterable<string> {
  const { table, className, text, format, scope, keys = [] } = asked;
  const { core, storage } = catalog;
  if (scope === "table") return exportTable(storage, table, { format, signal });
  if (scope === "selection") return selectionAsText(catalog, table, keys, format);
  queries.checkScan(asked);
  if (className !== undefined)
    return pagesAsText(core, () => classRows(catalog, queries, asked, signal), format);
  const node = parseQuery(core, text);
  const filter = node && core.printFilter(node);
  return exportTable(storage, table, { format, signal, ...(filter !== undefined && { filter }) });
}

async function* selectionAsText(
  catalog: Catalog,
  table: string,
  keys: NonNullable<ExportRequest["keys"]>,
  format: FileForm,
): AsyncGenerator<string> {
  const rows = await rowsOfKeys(catalog, table, keys);
  const missing = keys.length - rows.length;
  if (missing > 0)
    throw RequestError.wrongInput(
      `${missing} of the selected rows no longer exist. Run the query again, and select rows that do.`,
    );
  yield rowsAsText(rows, { format });
}

/** CSV needs the names of all columns before its first row, so it reads the pages twice. */
async function* pagesAsText(core: StudioCore, pages: RowPages, format: FileForm): AsyncGenerator<string> {
  if (format === "jsonl") {
    for await (const rows of pages()) yield rowsAsText(rows, { format });
    return;
  }
  const names = new Set<string>();
  for await (const rows of pages())
    for (const row of rows) for (const name of propertiesOf(core, row)) names.add(name);
  const columns = [...names];
  const head = rowsAsText([], { format, columns });
  yield head;
  for await (const rows of pages()) {
    const added = rows.flatMap((row) => propertiesOf(core, row)).find((name) => !names.has(name));
    if (added !== undefined)
      throw new RequestError(
        409,
        "studio.changed",
        "Another program wrote a new property during the export, so the file is not complete. Export again.",
      );
    yield rowsAsText(rows, { format, columns }).slice(head.length);
  }
}

const propertiesOf = ({ isSystemName }: StudioCore, row: StoredEntity): string[] =>
  Object.keys(row).filter((name) => !isSystemName(name) && row[name] !== undefined);
