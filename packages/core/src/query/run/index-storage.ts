import { entityRowOf, ownerOf } from "../../codec/index-rows.ts";
import { isOfKindInIndex } from "../../codec/index-layout.ts";
import { isEntityRow } from "../../codec/row-layout.ts";
import { CopiedEntity } from "../../codec/scan/copied-entity.ts";
import { ScannedRow } from "../../codec/scan/scanned-row.ts";
import type { StoredEntity } from "../../edm/stored-entity.ts";
import { type EntityModel, findIndex, type IndexModel } from "../../model/entity-model.ts";
import { forwardStorage } from "../../storage/forward-storage.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import { pageOfRows, takeRows } from "../../storage/rows.ts";
import type { Page, RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import type { KindChooser } from "../../codec/choose-kind.ts";
import type { QueryPath } from "../plan/query-plan.ts";

/**
 * A storage whose answers over an index are entities' rows: made of the index's rows, or read by the keys that these have. A
 * row that is gone meanwhile is left out.
 */
export function indexStorage(storage: TableStorage, chooser: KindChooser, path: QueryPath): TableStorage {
  const indexOf = indexesByKind(chooser, path.index);
  const copied = (row: StoredEntity): StoredEntity => {
    const { model, index } = indexOf(row);
    return entityRowOf(model, index, row);
  };
  /** A page of copies as one of entities: those that a reader made of their bytes, and rows. */
  const copiedPage = (page: Page, reader: RowReader | undefined): Page => {
    const rows = takeRows(page, reader);
    if (reader === undefined || rows === undefined) return { ...page, entities: page.entities.map(copied) };
    const entities = rows.map((row) =>
      ScannedRow.is(row) ? scannedEntity(row) : copied(row as StoredEntity),
    );
    return pageOfRows(entities, reader, () => entities.map(storedRowOf), page.next);
  };
  const scannedEntity = (row: ScannedRow): ScannedRow => {
    const { model, index } = indexOf(row);
    return new CopiedEntity(model, index, row);
  };
  const owned = async (
    table: string,
    row: StoredEntity,
    options: RequestOptions | undefined,
  ): Promise<StoredEntity | undefined> => {
    const { model, index } = indexOf(row);
    return storage.get(table, ownerOf(model, index, row), options);
  };
  return forwardStorage(storage, {
    async query(table, { select, ...query }, options) {
      const { rows: _reader, ...request } = options ?? {};
      if (path.reads === "copies") {
        const asked = select === undefined ? query : { ...query, select };
        return copiedPage(await storage.query(table, asked, options), options?.rows);
      }
      const page = await storage.query(table, query, request);
      const entities = await inParallel([...page.entities], pointReads, (row) => owned(table, row, request));
      return { ...page, entities: entities.filter((row) => row !== undefined) };
    },
    async get(table, key, options) {
      const row = await storage.get(table, key, options);
      // What is read again after a change is the entity's own row.
      if (row === undefined || isEntityRow(row)) return row;
      return path.reads === "copies" ? copied(row) : owned(table, row, options);
    },
  });
}

/** The class that a row of an index is of, and the index as that class has it. */
function indexesByKind(
  { models, kinds }: KindChooser,
  name: string,
): (row: StoredEntity | ScannedRow) => { readonly model: EntityModel; readonly index: IndexModel } {
  const all = [...new Set([...kinds, ...models])].flatMap((model) => {
    const index = findIndex(model, name);
    return index === undefined ? [] : [{ model, index }];
  });
  const first = all.at(-1) as (typeof all)[number];
  if (all.length === 1) return () => first;
  return (row) =>
    all.find(({ index }) => (ScannedRow.is(row) ? row.model === index.rows : isOfKindInIndex(index, row))) ??
    first;
}

const storedRowOf = (row: object): StoredEntity => (ScannedRow.is(row) ? row.row : (row as StoredEntity));
