import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { type EntityModel, type IndexModel, writtenIndexes } from "../declaration/entity-model.ts";
import { decodeEntity } from "./codec-of.ts";
import { indexRowKeyOf, indexRowOfStored } from "./index-rows.ts";
import { keyOfStored } from "./row-layout.ts";

/** A row of an index, as it has to be. */
export interface StoredIndexRow {
  readonly index: IndexModel;
  readonly entity: StoredEntity;
}

/**
 * The rows that an entity's own row has in the indexes of its class: all that there is to know of them. Retired indexes have
 * none.
 *
 * @throws SerializationError or KeyError naming class and property, for rows that are no entities
 */
export function storedIndexRows(model: EntityModel, row: StoredEntity): StoredIndexRow[] {
  const { snapshot } = decodeEntity(model, row, undefined);
  const key = keyOfStored(row);
  return writtenIndexes(model).flatMap((index) => {
    const rowKey = indexRowKeyOf(model, index, { key, snapshot });
    return rowKey === undefined ? [] : [{ index, entity: indexRowOfStored(model, index, rowKey, row) }];
  });
}
