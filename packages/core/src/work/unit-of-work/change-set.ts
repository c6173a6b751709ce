// `save/collect-changes.ts` calls `changeSetOf` for each pending entity. It turns the entity's intent and edits into
// one insert, merge, replace, upsert or delete with its ETag condition. It sends nothing.

import { isAbsent } from "../../model/codec/is-absent.ts";
import { isAsInSnapshot, noChanges } from "../../model/codec/comparison.ts";
import { codecOf } from "../../model/codec/codec-of.ts";
import { writeOf } from "../../model/codec/encoded-write.ts";
import type { EntityCodec, PropertyChanges } from "../../model/codec/entity-codec.ts";
import {
  checkGiven,
  isDecided,
  objectIn,
  snapshotValueIn,
  valueIn,
} from "../../model/codec/embedded-values.ts";
import { limitPassed } from "../../model/codec/encode-entity.ts";
import { InitialValue } from "../../model/codec/initial-value.ts";
import {
  isStored,
  notLoaded,
  putEncoded,
  restoreProperty,
  restoreStored,
  type Snapshot,
  completeSnapshot,
} from "../../model/codec/snapshot.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { StoredEntityDraft } from "../../values/edm/stored-entity.ts";
import {
  type EmbeddedModel,
  type EntityModel,
  type PropertyModel,
  rootOf,
} from "../../model/declaration/entity-model.ts";
import { maxEntityBytes, maxProperties } from "../../storage/limits.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import { checkKeyUnchanged } from "./check-key-unchanged.ts";
import { changesOf } from "./entity-state.ts";
import { etagUnknown, newerRow, notComplete } from "./state-errors.ts";
import {
  type ChangeSet,
  isExplicitlyModified,
  isTouch,
  noIntent,
  noMarks,
  RewrittenProperties,
  type TrackedEntity,
} from "./tracked-entity.ts";

/** An entity with work for a save. */
export interface PendingEntity {
  readonly entry: TrackedEntity;
  /** Its differences from its snapshot, if they were already computed. */
  readonly changes: PropertyChanges | undefined;
}

/**
 * Finds the entities that a save has work for, in the order of their arrival. Each is compared with its snapshot
 * once.
 *
 * @param isExplicit - whether only properties named by `update()` are saved
 */
export function findPending(entities: readonly TrackedEntity[], isExplicit: boolean): PendingEntity[] {
  const found: PendingEntity[] = [];
  let model: EntityModel | undefined;
  let codec: EntityCodec | undefined;
  // An accessor of an entity may add others; the next search finds them.
  const { length } = entities;
  for (let i = 0; i < length; i++) {
    const entry = entities[i] as TrackedEntity;
    const { intent, marks, values: snapshotValue } = entry;
    const isUnmarked =
      marks === noMarks || (marks.explicitlyModified === undefined && marks.messages.length === 0);
    const mayBeClean = intent === noIntent && isUnmarked && !entry.isInDoubt;
    let changes: PropertyChanges | undefined;
    if (mayBeClean && snapshotValue !== undefined) {
      if (isExplicit) continue;
      if (codec === undefined || entry.model !== model) {
        model = entry.model;
        codec = codecOf(model);
      }
      try {
        const values = entry.entity as Readonly<Record<string, unknown>>;
        changes = codec.changes(values, snapshotValue, entry);
        if (changes === undefined) continue;
      } catch {
        // If reading a property throws, the save reports it for this entity.
      }
    }
    found.push({ entry, changes });
  }
  return found;
}

/** How changes become operations. */
export interface ChangeOptions {
  /** Whether a changed entity is sent as its changed properties or completely. */
  readonly update: "merge" | "replace";
  /** Whether only properties named by `update()` are sent. */
  readonly isExplicit: boolean;
}

/**
 * The change to send for an entity; undefined when nothing changed.
 *
 * @throws SerializationError, KeyError or StateError naming class and property, when the entity cannot be stored
 */
export function changeSetOf(pending: PendingEntity, options: ChangeOptions): ChangeSet | undefined {
  const { entry } = pending;
  const { explicitlyModified, messages } = entry;
  const change = plainChangeOf(pending, options) ?? touchOf(entry);
  if (change !== undefined && entry.snapshot?.age === "newer") throw newerRow(entry);
  if (change === undefined) {
    // Named, but without a value in the entity and in storage: nothing to send.
    entry.explicitlyModified = undefined;
    return undefined;
  }
  if (explicitlyModified === undefined && messages.length === 0) return change;
  return {
    ...change,
    ...(explicitlyModified !== undefined && { explicitlyModified }),
    ...(messages.length > 0 && { messages }),
  };
}

const made = (
  entry: TrackedEntity,
  operation: WriteOperation,
  after: Snapshot | undefined,
  bytes: number,
): ChangeSet => ({ entry, operation, after, bytes, known: entry.values });

/**
 * A merge of nothing, which only gives the row a new ETag. It is used for `touch()`, and if messages are sent with an
 * entity that did not change: the rest of the transaction is stored only if the row is unchanged since it was read.
 */
function touchOf(entry: TrackedEntity): ChangeSet | undefined {
  const { messages, snapshot, key, explicitlyModified } = entry;
  const isTouched = messages.length > 0 || isTouch(explicitlyModified);
  if (!isTouched || snapshot === undefined) return undefined;
  const entity = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
  const operation = { type: "merge", entity, etag: etagOf(entry) } as const;
  return made(entry, operation, snapshot, 0);
}

/** The change without the properties named by `update()`. */
function plainChangeOf({ entry, changes }: PendingEntity, options: ChangeOptions): ChangeSet | undefined {
  const { intent, model, entity, key } = entry;
  if (intent.type === "remove")
    return made(entry, { type: "delete", key, etag: etagOf(entry) }, undefined, 0);

  // Parts of a key that are made of other properties are not compared with the rest.
  const isKeyCompared = changes?.isKeyChanged === false && model.derivedParts.length === 0;
  if (!isKeyCompared) checkKeyUnchanged(entry);
  switch (intent.type) {
    case "add": {
      const { replaces, undeclared } = intent;
      // Deleted and added back: properties without edits are sent with their stored values.
      if (entry.snapshot !== undefined) return rewriteOf(entry, entry.snapshot, replaces ?? etagOf(entry));
      if (entry.replaced?.snapshot?.age === "newer") throw newerRow(entry);
      const { values, bytes } = codecOf(model).write(entity, key);
      const after = completeSnapshot(values, undeclared);
      if (replaces === undefined && undeclared === undefined)
        return made(entry, writeOf("insert", model, key, values), after, bytes);
      const row = restoreStored(model, key, after);
      const operation: WriteOperation =
        replaces === undefined
          ? { type: "insert", entity: row }
          : { type: "replace", entity: row, etag: replaces };
      return made(entry, operation, after, bytes);
    }
    case "upsert": {
      const { values, bytes } = codecOf(model).write(entity, key);
      const after = intent.mode === "replace" ? completeSnapshot(values) : mergedOver(values);
      const operation = writeOf(`upsert-${intent.mode}`, model, key, values);
      const change = made(entry, operation, after, bytes);
      return intent.isIdempotent === true ? { ...change, isIdempotent: true } : change;
    }
    case "none":
      return entry.snapshot === undefined ? undefined : updateOf(entry, entry.snapshot, changes, options);
    default:
      return intent satisfies never;
  }
}

/** After a merge into a row that was not read: only the values that were sent are known. */
const mergedOver = (values: readonly SnapshotValue[]): Snapshot => ({
  values: values.map((snapshotValue) => (snapshotValue === undefined ? notLoaded : snapshotValue)),
  undeclared: undefined,
  isComplete: false,
  age: undefined,
});

function updateOf(
  entry: TrackedEntity,
  snapshot: Snapshot,
  compared: PropertyChanges | undefined,
  { update, isExplicit }: ChangeOptions,
): ChangeSet | undefined {
  const isNamed = entry.explicitlyModified !== undefined;
  if (isExplicit && !isNamed) return undefined;
  const edits = compared ?? changesOf(entry);
  const named = isNamed ? withNamed(entry, snapshot, edits, isExplicit) : edits;
  if (named.assigned.length === 0 && named.cleared.length === 0) return undefined;
  const hasObjects = entry.model.embedded !== undefined;
  if (hasObjects) checkObjects(entry, snapshot, named);
  const changes = hasObjects ? withInitialObjects(entry, snapshot, named) : named;
  const { cleared } = changes;
  // A merge cannot delete a property: clearing one requires sending everything else again. So does an upgrade.
  const isComplete = update === "replace" && (snapshot.isComplete || !isOnlyRewritten(entry, edits));
  if (cleared.length > 0 || isComplete || snapshot.age === "older") {
    if (!snapshot.isComplete) throw notComplete(entry, snapshot, cleared);
    return rewriteOf(entry, snapshot, etagOf(entry), changes);
  }
  const { key } = entry;
  const body: StoredEntityDraft = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
  const after = snapshotAfter(entry, snapshot, changes, body);
  const operation = { type: "merge", entity: body, etag: etagOf(entry) } as const;
  return made(entry, operation, after, checkedSize(entry, after));
}

/**
 * Embedded objects are written completely. Without a required leaf, the object could not be read; if an object was
 * assigned without loading the former one, it would be mixed with the former leaves.
 *
 * @throws SerializationError `property.required`; StateError `entity.not-loaded`
 */
function checkObjects(
  entry: TrackedEntity,
  snapshot: Snapshot,
  { assigned, cleared }: PropertyChanges,
): void {
  const { entity, model } = entry;
  const sent = new Set([...assigned, ...cleared].map((i) => rootAt(model, i)));
  const values = entity as Readonly<Record<string, unknown>>;
  const snapshotOf = snapshotValueIn(model, snapshot.values);
  for (const [i, property] of model.properties.entries()) {
    if (property.place === undefined || hasValue(property, values)) continue;
    if (!sent.has(rootAt(model, i)) && !InitialValue.is(snapshot.values[i])) continue;
    const isHeld = (objectIn(property.place.of, values) ?? undefined) !== undefined;
    if (snapshot.values[i] !== notLoaded) checkGiven(property, entity);
    else if (isHeld && isDecided(property, values, snapshotOf)) throw notComplete(entry, snapshot, [i]);
  }
}

/** The embedded object of the entity that holds a property. */
function rootAt({ properties }: EntityModel, i: number): EmbeddedModel | undefined {
  const place = properties[i]?.place;
  return place && rootOf(place.of);
}

/** Whether a property has a value; the marker of an object, whether that is there. */
const hasValue = (property: PropertyModel, values: Readonly<Record<string, unknown>>): boolean => {
  const value = valueIn(property, values);
  return !isAbsent(property, value) || property.serializer.isEmpty?.(value) === true;
};

/**
 * The first edit of an object that its row lacks and a constructor made stores all leaves; otherwise the row would lack
 * the others.
 */
function withInitialObjects(
  { entity, model }: TrackedEntity,
  { values }: Snapshot,
  changes: PropertyChanges,
): PropertyChanges {
  const edited = new Set(changes.assigned.map((i) => rootAt(model, i)));
  const source = entity as Readonly<Record<string, unknown>>;
  const assigned = model.properties.flatMap((property, i) => {
    const isBegun =
      property.place !== undefined && InitialValue.is(values[i]) && edited.has(rootAt(model, i));
    const isSent = isBegun && !isAbsent(property, valueIn(property, source));
    return isSent || changes.assigned.includes(i) ? [i] : [];
  });
  return { ...changes, assigned };
}

/** Whether an entity's known values are only stored once more, without a requested change. */
const isOnlyRewritten = ({ explicitlyModified }: TrackedEntity, edits: PropertyChanges): boolean =>
  edits === noChanges && RewrittenProperties.is(explicitlyModified);

/** The complete row once more, under its version: undeclared properties included, unchanged ones in every digit. */
function rewriteOf(
  entry: TrackedEntity,
  snapshot: Snapshot,
  etag: string,
  changes: PropertyChanges = changesOf(entry),
): ChangeSet {
  for (const i of changes.cleared) {
    checkGiven(entry.model.properties[i] as PropertyModel, entry.entity);
  }
  const sent = { PartitionKey: "", RowKey: "" };
  const whole = { ...snapshot, values: withInitialValues(entry, snapshot.values) };
  const after: Snapshot = { ...snapshotAfter(entry, whole, changes, sent), age: undefined };
  const bytes = checkedSize(entry, after);
  return made(
    entry,
    { type: "replace", entity: restoreStored(entry.model, entry.key, after), etag },
    after,
    bytes,
  );
}

/** Values that the row lacked, and that the entity has from its constructor, are stored with the rest. */
function withInitialValues(
  { entity, model }: TrackedEntity,
  values: readonly SnapshotValue[],
): readonly SnapshotValue[] {
  const now = entity as Readonly<Record<string, unknown>>;
  return values.map((snapshotValue, i) => {
    if (!InitialValue.is(snapshotValue)) return snapshotValue;
    const property = model.properties[i] as PropertyModel;
    return isAbsent(property, valueIn(property, now))
      ? undefined
      : (snapshotValue.snapshotValue ?? snapshotValue);
  });
}

function checkedSize(entry: TrackedEntity, after: Snapshot): number {
  const { model, partitionKey, rowKey } = entry;
  const size = codecOf(model).size(partitionKey.length + rowKey.length, after);
  if (size.bytes > maxEntityBytes || size.count > maxProperties) throw limitPassed(model, entry, size);
  return size.bytes;
}

/**
 * The edited properties, and those named by `update()`, edited or not; with explicit tracking, nothing else.
 *
 * @throws StateError `entity.not-loaded` for a named property that was not loaded and has no value
 */
function withNamed(
  entry: TrackedEntity,
  snapshot: Snapshot,
  edits: PropertyChanges,
  isExplicit: boolean,
): PropertyChanges {
  const { explicitlyModified, entity, model } = entry;
  const values = entity as Readonly<Record<string, unknown>>;
  const isNamed = (i: number): boolean =>
    isExplicitlyModified(entry, i) ||
    (explicitlyModified === "all" && (edits.assigned.includes(i) || edits.cleared.includes(i)));
  // The time of a save is sent with other changes only.
  const isSent = (i: number): boolean =>
    !isExplicit || isNamed(i) || model.properties[i]?.onSave !== undefined;
  const cleared = edits.cleared.filter(isSent);
  const assigned = model.properties.flatMap((property, i) => {
    const isMissing = !hasValue(property, values) && snapshot.values[i] === notLoaded;
    if (isNamed(i) && isMissing) throw notComplete(entry, snapshot, [i]);
    const isGiven = !isAbsent(property, valueIn(property, values));
    return (edits.assigned.includes(i) && isSent(i)) || (isNamed(i) && isGiven) ? [i] : [];
  });
  return { ...noChanges, assigned, cleared };
}

/** The snapshot with the changes in it; puts the values to send into `body`, unchanged values in their stored form. */
function snapshotAfter(
  { entity, model, explicitlyModified }: TrackedEntity,
  { values, undeclared, isComplete, age }: Snapshot,
  { assigned, cleared }: PropertyChanges,
  body: StoredEntityDraft,
): Snapshot {
  const source = entity as Readonly<Record<string, unknown>>;
  const after: SnapshotValue[] = values.slice();
  for (const i of cleared) after[i] = undefined;
  for (const i of assigned) {
    const property = model.properties[i] as PropertyModel;
    const value = valueIn(property, source);
    const snapshotValue = values[i];
    // A property that was only named is sent in its stored form.
    const isNamed = explicitlyModified !== undefined && isStored(snapshotValue);
    if (isNamed && isAsInSnapshot(property, snapshotValue, value)) {
      restoreProperty(property, snapshotValue, body);
      continue;
    }
    after[i] = putEncoded(property, value, body);
  }
  return { values: after, undeclared, isComplete, age };
}

/** @throws StateError `entity.etag-unknown` when storage did not report its version */
function etagOf(entry: TrackedEntity): string {
  if (entry.etag !== undefined) return entry.etag;
  throw etagUnknown(entry);
}
