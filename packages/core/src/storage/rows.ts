import type { StoredEntity } from "../edm/stored-entity.ts";
import type { ContinuationToken, Page } from "./table-storage.ts";

/** A row of which a store has the keys and the version apart from its properties. */
export interface RowBody {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly etag: string;
  /** ISO 8601. Few ask for it, so that it may be made on demand. */
  readonly timestamp: string;
  /** The properties as a JSON object in UTF-8, as a stored entity has them. */
  readonly bytes: Uint8Array;
}

/** A row that was made from bytes; only its reader knows what it is. */
export type ReadRow = object;

/**
 * Makes rows from the bytes of an answer without parsing it. A caller of `query` may send one along; a store that has
 * bytes gives them to it before it answers.
 */
export interface RowReader {
  /**
   * Reads the rows of a JSON list.
   *
   * @param start - the first byte behind the opening bracket
   * @param parse - makes a stored entity of the text of one row, and throws what is to be thrown of it
   * @returns the rows, each read or as a stored entity, and the first byte behind the closing bracket; undefined where the
   *   whole answer has to be parsed
   */
  readList(bytes: Buffer, start: number, parse: (text: string) => StoredEntity): ReadList | undefined;
  /** Reads one row; undefined when it has to be parsed. `body` is kept by the row. */
  readBody(body: RowBody): ReadRow | undefined;
}

/** Rows in their order. */
export interface ReadList {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  readonly end: number;
}

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
