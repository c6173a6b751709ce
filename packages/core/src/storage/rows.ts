import type { StoredEntity } from "../edm/stored-entity.ts";
import type { ReadRow, RowReader } from "./row-reader.ts";
import type { ContinuationToken, Page } from "./table-storage.ts";

type Rows = readonly (ReadRow | StoredEntity)[];

/** The rows of a page, and what made them. */
export interface RowsOfPage {
  readonly rows: Rows;
  readonly reader: RowReader;
}

const rowsOfPages = new WeakMap<Page, RowsOfPage>();

/**
 * A page whose rows were read from bytes. Its entities are parsed when somebody looks at them: from then on they are what
 * the page holds, and so is a copy of it. So a storage in between that changes entities is heard.
 *
 * @param parse - all rows as stored entities
 */
export function pageOfRows(
  rows: Rows,
  reader: RowReader,
  parse: () => readonly StoredEntity[],
  next: ContinuationToken | undefined,
): Page {
  let entities: readonly StoredEntity[] | undefined;
  const page: Page = {
    get entities(): readonly StoredEntity[] {
      rowsOfPages.delete(page);
      return (entities ??= parse());
    },
    ...(next !== undefined && { next }),
  };
  rowsOfPages.set(page, { rows, reader });
  return page;
}

/**
 * The rows of a page as this reader made them; undefined where its entities count. They can be taken once: a storage in
 * between may answer several queries with one page, and each has entities of its own.
 */
export function takeRows(page: Page, reader: RowReader | undefined): Rows | undefined {
  const made = rowsOfPages.get(page);
  if (made === undefined || made.reader !== reader) return undefined;
  rowsOfPages.delete(page);
  return made.rows;
}

/** The rows of a page, which stay in it, for those who only count them; undefined where its entities count. */
export const rowsIn = (page: Page): RowsOfPage | undefined => rowsOfPages.get(page);
