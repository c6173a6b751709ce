// `save/collect-changes.ts` calls this file once the change of an entity is known. While an older version of a class is
// supported, what is sent has the form of that version.

import { limitPassed } from "../../model/codec/encode-entity.ts";
import { type LoweredPart, lowerPart } from "../../model/codec/lower-values.ts";
import { type OlderLayout, olderLayoutOf } from "../../model/codec/older-layout.ts";
import {
  completeSnapshot,
  isRow,
  type Snapshot,
  sizeOfSnapshot,
  storedRow,
} from "../../model/codec/snapshot.ts";
import { differenceOf, isShared, supportedRow } from "../../model/codec/supported-row.ts";
import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import { type EntitySize, maxEntityBytes, maxProperties, sizeOfEntity } from "../../storage/limits.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import type { ChangeSet } from "./tracked-entity.ts";

/**
 * A change of a class that supports an older version, in the form that its rows have.
 *
 * @throws UpgradeError `upgrade.back-failed`; SerializationError for a row that passes a limit with the names of both versions
 */
export function lowered(change: ChangeSet): ChangeSet {
  const { entry, operation, after } = change;
  const { model, snapshot, key } = entry;
  const isDone = after === undefined || after.stored !== undefined;
  if (isDone || operation.type === "delete") return change;
  const isNew = snapshot === undefined || operation.type === "insert";
  const known = isNew ? undefined : snapshot.stored;
  // It was read in the present form.
  if (!isNew && known === undefined) return change;
  const { entity } = operation;
  const isMerge = operation.type === "merge";
  if (isMerge && known !== undefined && !isRow(known)) {
    const layout = olderLayoutOf(model) as OlderLayout;
    const lower = lowerPart(model, layout, known, entity, after.values);
    if (lower !== undefined) return partly(change, layout, lower);
  }
  const stored = known && storedRow(model, key, known);
  if (isMerge && isShared(model, entity))
    return { ...change, after: { ...after, stored: merged(stored as StoredEntity, entity) } };
  const row = supportedRow(model, stored, (present) =>
    isMerge ? merged(present as StoredEntity, entity) : entity,
  );
  const sent = writeOf(operation, stored, row);
  return withinLimits({ ...change, operation: sent, after: { ...after, stored: row } }, sizeOfEntity(row));
}

/** The merge of a row whose values are known in its own form. */
function partly(change: ChangeSet, { rows }: OlderLayout, { part, stored }: LoweredPart): ChangeSet {
  const { partitionKey, rowKey } = change.entry;
  const size = sizeOfSnapshot(
    rows,
    partitionKey.length + rowKey.length,
    completeSnapshot([...stored.values, ...stored.older]),
  );
  const operation = { ...change.operation, entity: part } as WriteOperation;
  return withinLimits({ ...change, operation, after: { ...(change.after as Snapshot), stored } }, size);
}

/** @throws SerializationError naming the limit */
function withinLimits(change: ChangeSet, size: EntitySize): ChangeSet {
  const { entry } = change;
  if (size.bytes > maxEntityBytes || size.count > maxProperties) throw limitPassed(entry.model, entry, size);
  return { ...change, bytes: size.bytes };
}

/** The write of a row; a merge cannot delete a property, so all of the row is sent then. */
function writeOf(
  operation: WriteOperation,
  stored: StoredEntity | undefined,
  row: StoredEntity,
): WriteOperation {
  if (operation.type !== "merge") return { ...operation, entity: row } as WriteOperation;
  const part = differenceOf(stored as StoredEntity, row);
  return part === undefined ? { ...operation, type: "replace", entity: row } : { ...operation, entity: part };
}

/** A row with the values that a merge assigns. */
function merged(before: StoredEntity, part: StoredEntity): StoredEntity {
  const row: StoredEntityDraft = { ...before };
  for (const name of Object.keys(part)) {
    if (isSystemName(name)) continue;
    row[annotationOf(name)] = part[annotationOf(name)];
    setMember(row, name, part[name]);
  }
  return row;
}
