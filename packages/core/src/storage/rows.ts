import type { StoredEntity } from "../edm/stored-entity.ts";
import type { ReadRow } from "./row-reader.ts";
import type { ContinuationToken, Page } from "./table-storage.ts";

const rowsOfPages = new WeakMap<Page, readonly (ReadRow | StoredEntity)[]>();

/**
 * A page whose rows were read from bytes. Its entities are parsed when somebody looks at them: from then on they are what
 * the page holds, and so is a copy of it. So a storage in between that changes entities is heard.
 *
 * @param parse - all rows as stored entities
 */
export function pageOfRows(
  rows: readonly (ReadRow | StoredEntity)[],
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
  rowsOfPages.set(page, rows);
  return page;
}

/** The rows of a page as its reader made them; undefined where its entities count. */
export const rowsOf = (page: Page): readonly (ReadRow | StoredEntity)[] | undefined => rowsOfPages.get(page);
