import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { modelOfEntity } from "../declaration/model-registry.ts";
import { codecOf } from "./codec-of.ts";
import { keyOfEntity } from "./entity-key.ts";
import { completeSnapshot, restoreStored } from "./snapshot.ts";
import { storedIndexRows } from "./stored-index-rows.ts";

/** A row, and the index that it belongs to; an entity's own row has none. */
interface NewRow {
  readonly row: StoredEntity;
  readonly index: string | undefined;
}

/** An entity, and its rows: its own comes first. */
export interface NewRows {
  readonly entity: object;
  readonly rows: readonly [NewRow, ...NewRow[]];
}

/**
 * The rows that a save inserts for a new entity and its children.
 *
 * @throws SerializationError or KeyError as a save does
 */
export function rowsOfNew(entity: object): NewRows[] {
  const model = modelOfEntity(entity);
  const key = keyOfEntity(model, entity);
  const row = restoreStored(model, key, completeSnapshot(codecOf(model).write(entity, key).values));
  const inIndexes = storedIndexRows(model, row).map(({ index, operation }) => ({
    row: operation.entity,
    index: index.name,
  }));
  const children = model.children.flatMap(({ property }) => {
    const list = (entity as Readonly<Record<string, unknown>>)[property];
    return Array.isArray(list) ? list.flatMap((child: object) => rowsOfNew(child)) : [];
  });
  return [{ entity, rows: [{ row, index: undefined }, ...inIndexes] }, ...children];
}
