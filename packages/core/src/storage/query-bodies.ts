import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import type { ReadRow, RowBody } from "./row-reader.ts";
import { takeRows } from "./rows.ts";
import type { ContinuationToken, StoredQuery, TableStorage } from "./table-storage.ts";

const stores = new WeakSet<TableStorage>();

/** Makes a storage one whose rows can be had as bytes. */
export const offerBodies = (storage: TableStorage): void => void stores.add(storage);

/** Whether the rows of a storage can be had as bytes: those of an embedded store, which is not wrapped in another. */
export const offersBodies = (storage: TableStorage): boolean => stores.has(storage);

/** One page, whose rows are what `readBody` made of them, or stored entities. */
export interface PageOfBodies {
  readonly rows: readonly (ReadRow | StoredEntity)[];
  readonly next: ContinuationToken | undefined;
}

/**
 * Reads one page of a storage that offers bodies, or of one that passes requests on to such a one as they are. Rows that a
 * filter or a projection has to look into come as entities.
 *
 * @param readBody - makes a row from its bytes; undefined when it has to be parsed
 */
export async function queryBodies(
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  readBody: (body: RowBody) => ReadRow | undefined,
): Promise<PageOfBodies> {
  const rows = { readBody, readList };
  const page = await storage.query(table, query, { rows });
  return { rows: takeRows(page, rows) ?? page.entities, next: page.next };
}

/** One row, which is what `readBody` made of it, or a stored entity. */
export interface FoundBody {
  readonly row: ReadRow | StoredEntity;
  readonly etag: string | undefined;
}

/** Reads one row of such a storage; undefined when it is not stored. */
export async function getBody(
  storage: TableStorage,
  table: string,
  key: EntityKey,
  readBody: (body: RowBody) => ReadRow | undefined,
): Promise<FoundBody | undefined> {
  let taken: ReadRow | undefined;
  const takeBody = (body: RowBody): ReadRow | undefined => (taken = readBody(body));
  const entity = await storage.get(table, key, { takeBody });
  return entity && { row: taken ?? entity, etag: entity["odata.etag"] };
}

/** Lists are parsed: a store of rows has none. */
const readList = (): undefined => undefined;
