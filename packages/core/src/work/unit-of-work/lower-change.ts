// `collect-changes.ts` and `index-rows.ts` call this file once the change of an entity is known. While an older version of a
// class is supported, what is sent has the form of that version.

import { currentRow } from "../../model/codec/current-row.ts";
import { limitPassed } from "../../model/codec/encode-entity.ts";
import { indexRowWith } from "../../model/codec/index-layout.ts";
import { copies } from "../../model/codec/index-rows.ts";
import type { Snapshot } from "../../model/codec/snapshot.ts";
import { differenceOf, keepsOlderForm, supportedRow } from "../../model/codec/supported-row.ts";
import {
  annotationOf,
  isSystemName,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../values/edm/stored-entity.ts";
import { maxEntityBytes, maxProperties, sizeOfEntity } from "../../storage/limits.ts";
import { keyOfOperation, type WriteOperation } from "../../storage/write-operation.ts";
import type { ChangeSet, IndexRow } from "./tracked-entity.ts";

/**
 * A change in the form that rows of its class have, its index rows included; itself, if that is the present one.
 *
 * @param before - the row that the change was made from
 * @throws UpgradeError `upgrade.back-failed`; SerializationError for a row that passes a limit with the names of both versions
 */
export function lowered(change: ChangeSet, before: Snapshot | undefined = change.entry.snapshot): ChangeSet {
  const { model } = change.entry;
  if (!keepsOlderForm(model) || change.after === undefined) return change;
  const sent = change.after.stored === undefined ? withStored(change, before) : change;
  const row = sent.after?.stored;
  if (sent.indexRows === undefined || row === undefined) return sent;
  return { ...sent, indexRows: sent.indexRows.map((each) => loweredIndexRow(sent, each, row)) };
}

/** The change of the entity's own row. */
function withStored(change: ChangeSet, before: Snapshot | undefined): ChangeSet {
  const { entry, operation, after } = change;
  if (operation.type === "delete" || after === undefined) return change;
  const isNew = entry.snapshot === undefined || operation.type === "insert";
  // It was read in the present form.
  if (!isNew && before?.stored === undefined) return change;
  const stored = isNew ? undefined : before?.stored;
  const present =
    operation.type === "merge"
      ? merged(entry.model, stored as StoredEntity, operation.entity)
      : operation.entity;
  const row = supportedRow(entry.model, stored, present);
  const size = sizeOfEntity(row);
  if (size.bytes > maxEntityBytes || size.count > maxProperties) throw limitPassed(entry.model, entry, size);
  return {
    ...change,
    operation: writeOf(operation, stored, row),
    after: { ...after, stored: row },
    bytes: size.bytes,
  };
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

/** The row in its present form, with the values that a merge assigns. */
function merged(model: ChangeSet["entry"]["model"], stored: StoredEntity, part: StoredEntity): StoredEntity {
  const row: StoredEntityDraft = { ...currentRow(model, stored) };
  for (const name of Object.keys(part)) {
    if (isSystemName(name)) continue;
    row[annotationOf(name)] = part[annotationOf(name)];
    setMember(row, name, part[name]);
  }
  return row;
}

/** Rows of an index hold what the entity's own row does. */
function loweredIndexRow(
  { entry: { model } }: ChangeSet,
  { index, operation, ...rest }: IndexRow,
  row: StoredEntity,
): IndexRow {
  if (operation.type === "delete" || index.isUnique) return { index, operation, ...rest };
  const { rowKey } = keyOfOperation(operation);
  const entity = indexRowWith(index, model, rowKey, row, copies(model, index));
  return { index, operation: { type: "upsert-replace", entity } };
}
