import { type FormerKeys, formerKeysOf } from "../../model/codec/former-keys.ts";
import { isEntityRow } from "../../model/codec/row-layout.ts";
import { storedIndexRows } from "../../model/codec/stored-index-rows.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { readEach } from "./learn-rows.ts";
import { moveRow, type RowMove } from "./move-row.ts";
import type { Save } from "./save-state.ts";

/**
 * Reads the row of an entity of a class with `formerKeys`: under its present key, or under a former one and then in the
 * form for its present key.
 */
export async function readMovingRow(
  storage: Pick<TableStorage, "get">,
  model: EntityModel,
  key: EntityKey,
  options: RequestOptions | undefined,
): Promise<StoredEntity | undefined> {
  const row = await storage.get(model.table, key, options);
  const former = formerKeysOf(model);
  if (former === undefined || (row !== undefined && isEntityRow(row))) return row;
  for (const at of former.keysAt(key)) {
    const found = await storage.get(former.model.table, at, options);
    if (found === undefined || !former.holds(found)) continue;
    const present = former.presentRow(found);
    // A property that became part of the key may have another value there.
    if (present.PartitionKey === key.partitionKey && present.RowKey === key.rowKey) return present;
  }
  // It may have been moved between these reads.
  return storage.get(model.table, key, options);
}

/** Moves the rows of entities that are stored under former keys, before anything is written under the present ones. */
export const moveFormerRows = (save: Save, isMeant: (entry: TrackedEntity) => boolean): Promise<void> =>
  readEach(save, isMeant, async (entry) => {
    const { model, key, intent } = entry;
    const { signal } = save.options;
    const { storage } = save.source;
    const former = formerKeysOf(model);
    // A new kind.
    if (former === undefined) return undefined;
    // A write under an ETag that was read cannot conflict with the reservation of another move.
    const isConditional = intent.type === "none" || intent.type === "remove";
    const isRead = isConditional && entry.etag !== undefined && entry.etag !== "*";
    const request = { signal, mayBeStale: false };
    for (const at of former.keysAt(key)) {
      if (isRead && (await storage.get(former.model.table, at, request)) === undefined) continue;
      const move = { ...moveOf(model, former, at, key), isRemoved: intent.type === "remove" };
      const moved = await moveRow(storage, move, request);
      // An entity that was read in another version is a conflict when it is written.
      if (entry.etag !== undefined && moved.from.includes(entry.etag)) entry.etag = moved.etag;
    }
    return undefined;
  });

/** The move of a row of a class from one key to another. */
export function moveOf(model: EntityModel, former: FormerKeys, from: EntityKey, to: EntityKey): RowMove {
  return {
    from: { table: former.model.table, key: from },
    to: { table: model.table, key: to },
    moved: (row) => former.presentRow(row),
    oldIndexRows: (row) => storedIndexRows(former.model, row).map(({ key }) => key),
    newIndexRows: (row) => storedIndexRows(model, row).map(({ operation }) => operation),
    uniqueValues: model.indexes.some((index) => index.isOverTable)
      ? (row) => storedIndexRows(model, row, (index) => index.isOverTable).map((each) => each.key.rowKey)
      : undefined,
  };
}
