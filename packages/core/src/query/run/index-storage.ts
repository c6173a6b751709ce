import { entityRowOf, ownerOf } from "../../model/codec/index-rows.ts";
import { isOfKindInIndex } from "../../model/codec/index-layout.ts";
import { isEntityRow } from "../../model/codec/row-layout.ts";
import { CopiedEntity } from "../../model/codec/scan/copied-entity.ts";
import { ScannedRow } from "../../model/codec/scan/scanned-row.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import {
  type EntityModel,
  findIndex,
  type IndexModel,
  indexRowType,
  rowProperty,
} from "../../model/declaration/entity-model.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import type { KindChooser } from "../../model/codec/choose-kind.ts";
import type { QueryPath } from "../plan/query-plan.ts";

/**
 * Reads over an index that return entities' rows: made from the index rows, or read by the keys in these. A row that
 * no longer exists is left out.
 */
export function indexStorage(storage: ReadableRows, chooser: KindChooser, path: QueryPath): ReadableRows {
  const indexOf = indexesByKind(chooser, path.index);
  /** Other programs may write rows under the prefix of an index. They have no part in it. */
  const isOfIndex = (row: object): boolean =>
    ScannedRow.is(row) || (row as StoredEntity)[rowProperty] === indexRowType(path.index);
  const copied = (row: StoredEntity): StoredEntity => {
    const { model, index } = indexOf(row);
    return entityRowOf(model, index, row);
  };
  /** An index row in the form of the entity's row: made by a reader from its bytes, or stored. */
  const entityOf = (row: object): ScannedRow | StoredEntity => {
    if (!ScannedRow.is(row)) return copied(row as StoredEntity);
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
  return {
    async readRows(table, { select, ...query }, reader, options) {
      if (path.reads === "copies") {
        const wanted = select === undefined ? query : { ...query, select };
        const page = await storage.readRows(table, wanted, reader, options);
        return { ...page, rows: page.rows.filter(isOfIndex).map(entityOf) };
      }
      const page = await storage.readRows(table, query, undefined, options);
      const found = page.rows.filter(isOfIndex) as StoredEntity[];
      const entities = await inParallel([...found], pointReads, (row) => owned(table, row, options));
      return { ...page, rows: entities.filter((row) => row !== undefined) };
    },
    async get(table, key, options) {
      const row = await storage.get(table, key, options);
      // A row that is read again after a change is the entity's own row.
      if (row === undefined || isEntityRow(row)) return row;
      if (!isOfIndex(row)) return undefined;
      return path.reads === "copies" ? copied(row) : owned(table, row, options);
    },
  };
}

/** The class that an index row belongs to, and the index in that class. */
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
