// `save/collect-changes.ts` calls `withIndexRows` to add index writes to a change set. It compares the index keys
// before and after the change and returns the rows to insert, change or delete, all sent in the entity's transaction.

import { isSystemName, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { copyOfWrite } from "../../model/codec/encoded-write.ts";
import {
  copies,
  indexRowKeyOf,
  indexRowOf,
  indexRowOfStored,
  type KeyParts,
  keyPartsOf,
} from "../../model/codec/index-rows.ts";
import { indexRowWith } from "../../model/codec/index-layout.ts";
import type { Snapshot } from "../../model/codec/snapshot.ts";
import { KeyError } from "../../values/errors/key-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { type EntityModel, type IndexModel, writtenIndexes } from "../../model/declaration/entity-model.ts";
import { maxTransactionBytes } from "../../storage/limits.ts";
import {
  appliesOnce,
  conditionOf,
  jsonBytesOf,
  keyOfOperation,
  type WriteOperation,
} from "../../storage/write-operation.ts";
import { newerRow } from "./state-errors.ts";
import type { ChangeSet, IndexRow, TrackedEntity } from "./tracked-entity.ts";

/*
 * Every transaction that writes an entity's index rows also writes its own row, by an insert or under its ETag. So that
 * row's ETag is the only lock, and the keys of its index rows follow from the snapshot at that ETag.
 */

/** The stored row of an entity before a change: the version that the change is conditional on. */
export interface StoredBefore {
  readonly etag: string | undefined;
  /**
   * All properties used in index keys, or all properties if a complete row is written; undefined if there is no row.
   */
  readonly snapshot: Snapshot | undefined;
}

/**
 * Whether an entity of a class with indexes has to be read before its index rows can be written with it: it is
 * written over any stored version, or part of it was not read.
 */
export function mustReadBefore({ intent, etag, snapshot, replaced }: TrackedEntity): boolean {
  if (isForAnyVersion({ intent, etag })) return true;
  const known = snapshot ?? replaced?.snapshot;
  if (known === undefined) return intent.type !== "add" || intent.replaces !== undefined;
  return !known.isComplete;
}

/** Whether an entity is written over any stored version. */
const isForAnyVersion = ({ intent, etag }: Pick<TrackedEntity, "intent" | "etag">): boolean =>
  intent.type === "upsert" || etag === "*" || (intent.type === "add" && intent.replaces === "*");

/**
 * A change with its index writes.
 *
 * @param read - the row that was read for it, if the entity itself does not know enough
 * @throws KeyError for values that do not fit the key of an index; StateError `batch.entity-too-large`
 */
export function withIndexRows(
  { indexRows: _former, ...change }: ChangeSet,
  read: StoredBefore | undefined,
): ChangeSet {
  const { entry } = change;
  const { model, key } = entry;
  const asked = change.unconditional ?? change.operation;
  const isUnconditional = change.unconditional !== undefined || !appliesOnce(asked);
  if (read === undefined && mustReadBefore(entry)) throw notReadBefore(entry);
  // Storage refuses it: the version that it is conditional on no longer exists.
  if (!isUnconditional && read !== undefined && read.etag !== conditionOf(asked)) return change;
  if (read?.snapshot?.age === "newer") throw newerRow(entry);
  const operation = isUnconditional && read !== undefined ? underVersion(asked, read) : change.operation;
  const before = read?.snapshot ?? knownBefore(entry);
  const after = afterOf(model, operation, change.after, read);
  const indexed = { model, key, keyParts: keyPartsOf(model, key), operation, before, after };
  const indexRows = writtenIndexes(model).flatMap((index) => indexRowsIn(index, indexed));
  checkSize(entry, change.bytes, indexRows);
  return {
    ...change,
    operation,
    ...(indexRows.length > 0 && { indexRows }),
    ...(isUnconditional && { unconditional: asked }),
  };
}

/** The row after a change, as far as it is known. */
function afterOf(
  model: EntityModel,
  operation: WriteOperation,
  after: Snapshot | undefined,
  read: StoredBefore | undefined,
): Snapshot | undefined {
  if (after?.stored !== undefined) return decodeEntity(model, after.stored, undefined).snapshot;
  return after && read ? mergedOver(model, operation, after, read.snapshot) : after;
}

/** Turns a write without a condition into one that holds only for the row that was read. */
function underVersion(asked: WriteOperation, { etag }: StoredBefore): WriteOperation {
  switch (asked.type) {
    case "upsert-merge":
    case "upsert-replace": {
      const { entity } = asked;
      if (etag === undefined) return { type: "insert", entity };
      return { type: asked.type === "upsert-merge" ? "merge" : "replace", entity, etag };
    }
    case "merge":
    case "replace":
    case "delete":
      // A row that no longer exists is refused as it would be without an index; one that exists again is read again.
      return { ...asked, etag: etag ?? noVersion };
    case "insert":
      return asked;
    default:
      return asked satisfies never;
  }
}

/** An ETag that no row ever has. */
const noVersion = "W/\"datetime'0001-01-01T00%3A00%3A00.0000000Z'\"";

/** An entity that was added or changed while the save was already running. */
const notReadBefore = ({ model }: TrackedEntity): StateError =>
  new StateError(
    "entity.not-read",
    `An entity of ${model.name}, which has indexes or a scope, was added or changed by a validator after this save had read the stored rows, but its stored row is needed. Change it before the save, or in a saving hook.`,
    { entity: model.name },
  );

/** The known values of the row that a change replaces. */
function knownBefore({ intent, snapshot, replaced }: TrackedEntity): Snapshot | undefined {
  if (intent.type === "upsert") return undefined;
  return intent.type === "add" ? (snapshot ?? replaced?.snapshot) : snapshot;
}

/**
 * After a merge, properties that were not sent have the values that were read, not those of the entity; if nothing was
 * read, they are absent.
 */
function mergedOver(
  model: EntityModel,
  operation: WriteOperation,
  after: Snapshot,
  before: Snapshot | undefined,
): Snapshot {
  if (after.isComplete || operation.type === "delete") return after;
  const { entity } = operation;
  const values = model.properties.map(({ storedName }, i) =>
    entity[storedName] === undefined ? before?.values[i] : after.values[i],
  );
  return { values, undeclared: before?.undeclared, isComplete: before?.isComplete ?? true, age: before?.age };
}

interface IndexedChange extends Pick<TrackedEntity, "model" | "key"> {
  readonly keyParts: KeyParts;
  readonly operation: WriteOperation;
  readonly before: Snapshot | undefined;
  readonly after: Snapshot | undefined;
}

/** The effect of a change on an entity's row in one index. */
function indexRowsIn(index: IndexModel, change: IndexedChange): IndexRow[] {
  const { model, key, keyParts, operation, before, after } = change;
  const old = before && rowKeyBefore(index, change, before);
  const now = after && indexRowKeyOf(model, index, { key, keyParts, snapshot: after });
  const indexRows: IndexRow[] = [];
  if (old !== undefined && old !== now)
    indexRows.push({ index, operation: { type: "delete", key: { ...key, rowKey: old }, etag: "*" } });
  if (now === undefined || after === undefined) return indexRows;
  const { stored } = after;
  const whole = (): StoredEntity =>
    stored === undefined
      ? indexRowOf(index, now, { key, snapshot: after })
      : indexRowOfStored(model, index, now, stored);
  if (old !== now) {
    indexRows.push({
      index,
      operation: copyOfWrite(operation, index, now) ?? {
        type: index.isUnique ? "insert" : "upsert-replace",
        entity: whole(),
      },
    });
  } else if (index.isUnique) {
    return indexRows;
  } else if (operation.type === "merge" && stored === undefined) {
    const part = partOf(index, model, now, operation.entity);
    if (part !== undefined)
      indexRows.push({
        index,
        operation: { type: "merge", entity: part, etag: "*" },
        whole: after.isComplete ? whole : undefined,
      });
  } else indexRows.push({ index, operation: { type: "upsert-replace", entity: whole() } });
  return indexRows;
}

/** The key of an entity's row in an index before a change; values that do not fit the key never got a row there. */
function rowKeyBefore(
  index: IndexModel,
  { model, key, keyParts }: IndexedChange,
  before: Snapshot,
): string | undefined {
  try {
    return indexRowKeyOf(model, index, { key, keyParts, snapshot: before });
  } catch (error) {
    if (KeyError.is(error)) return undefined;
    throw error;
  }
}

/** The part of a merge that an index copies; undefined if it copies none of the properties sent. */
function partOf(
  index: IndexModel,
  model: EntityModel,
  rowKey: string,
  sent: StoredEntity,
): StoredEntity | undefined {
  const part = indexRowWith(index, model, rowKey, sent, copies(model, index));
  const isCopied = Object.keys(part).some((name) => !isSystemName(name) && name !== model.kind?.storedName);
  return isCopied ? part : undefined;
}

/** The key of an index row. */
export const rowKeyOfIndexRow = ({ operation }: IndexRow): string => keyOfOperation(operation).rowKey;

/**
 * @throws StateError `batch.entity-too-large` for an entity that does not fit one transaction together with its index
 *   rows
 */
function checkSize({ model }: TrackedEntity, bytes: number, indexRows: readonly IndexRow[]): void {
  const whole = indexRows.filter(({ operation }) => operation.type !== "delete").length + 1;
  // Text takes up to three times as many bytes as the service counts.
  if (whole * bytes * 3 <= maxTransactionBytes || whole * bytes <= maxTransactionBytes / 2) return;
  const sent = indexRows.map(({ operation }) => jsonBytesOf(operation));
  const size = bytes + sent.reduce((sum, each) => sum + each, 0);
  if (size <= maxTransactionBytes) return;
  throw new StateError(
    "batch.entity-too-large",
    `An entity of ${model.name} takes ${size} bytes together with its rows in the indexes ${model.indexes.map(({ name }) => name).join(", ")}, but a transaction is limited to ${maxTransactionBytes}. Let an index copy fewer properties: copy: [...], or copy: "none".`,
    { entity: model.name, bytes: size, limit: maxTransactionBytes },
  );
}
