// `identity-map.ts` and `change-tracker.ts` call this file when a row is loaded for an entity that is already tracked.
// The merge option decides whether stored values or edits win; values that both sides changed become conflicts.

import { etagOf, timestampOf } from "../../model/codec/row-layout.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { assignKeys, assignSystemValues } from "../../model/codec/decode-entity.ts";
import {
  assignLeaves,
  assignValue,
  isDecided,
  type LeafValue,
  snapshotValueIn,
  valueIn,
} from "../../model/codec/embedded-values.ts";
import {
  hostValueOf,
  isStored,
  type LoadedProperties,
  notLoaded,
  type Snapshot,
} from "../../model/codec/snapshot.ts";
import type { PropertyModel } from "../../model/declaration/entity-model.ts";
import type { RefreshingMergeOption, TrackingMergeOption } from "../../model/declaration/merge-option.ts";
import { isAsKnown } from "./known-row.ts";
import { isAsInSnapshot } from "../../model/codec/comparison.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { noIntent, type PropertyConflict, type TrackedEntity } from "./tracked-entity.ts";
import { noMessages } from "./outbox-message.ts";

/**
 * Merges a row into the entity that is tracked under its key. Values that are being sent are never changed, and an
 * entity that was only added keeps its values: it only learns that its key is taken.
 *
 * @param loaded - the selected properties; only those are changed. If the row is newer than the rest of the entity, the
 *   entity gets their values but keeps its version and is stale: a change based on old values is then refused
 */
export function mergeRow(
  entry: TrackedEntity,
  row: StoredEntity,
  option: TrackingMergeOption,
  loaded?: LoadedProperties,
): void {
  if (entry.isInFlight) return;
  const isNew =
    entry.intent.type === "upsert" || (entry.intent.type === "add" && entry.snapshot === undefined);
  if (isNew) entry.existsInStorage = true;
  else if (option === "appendOnly") {
    noteVersion(entry, etagOf(row));
    // An index copy has no version. If its values differ, another version is stored.
    if (etagOf(row) === undefined && loaded === undefined && entry.intent === noIntent)
      entry.isStale ||= !isAsKnown(entry, row);
    completeEntity(entry, row, loaded);
  } else refreshFromRow(entry, row, option, { loaded });
}

function noteVersion(entry: TrackedEntity, etag: string | undefined): void {
  if (entry.etag !== "*" && etag !== undefined) entry.isStale = etag !== entry.etag;
}

/** How a row replaces the known values. */
interface RefreshOptions {
  /** The selected properties; all of the row when absent. */
  readonly loaded?: LoadedProperties;
  /** Whether edits stay: they request what earlier requests did, and one of those may have been applied. */
  readonly keepsAttempts?: boolean;
}

/** Refreshes values, snapshot and ETag from the row; edits stay or are dropped, depending on the option. */
export function refreshFromRow(
  entry: TrackedEntity,
  row: StoredEntity,
  option: RefreshingMergeOption,
  { loaded, keepsAttempts = option === "preserveChanges" }: RefreshOptions = {},
): void {
  const { model, snapshot: old } = entry;
  checkAssignable(entry.entity, model, entry.key, "Refreshing it from the stored row");
  const { entity: fresh, snapshot } = decodeEntity(model, row, loaded);
  const source = fresh as Readonly<Record<string, unknown>>;
  const target = entry.entity as Record<string, unknown>;
  // Edits of an entity marked for deletion have no effect.
  const keepsEdits = option === "preserveChanges" && entry.intent.type !== "remove" && old !== undefined;
  const etag = etagOf(row);
  const isSameVersion = etag === entry.etag;
  const conflicts: PropertyConflict[] = [];
  const leaves: LeafValue[] = [];
  for (const [i, property] of model.properties.entries()) {
    if (loaded !== undefined && loaded[i] !== true) continue;
    const theirs = storedIn(property, snapshot.values[i], source);
    if (keepsEdits && isEditedIn(entry, old, i) && !isSaveFilled(entry, property)) {
      // The time of a save is not the program's decision: it follows the written side.
      if (property.onSave !== undefined) continue;
      const [base, stored] = [old.values[i], snapshot.values[i]];
      const conflict = conflictOf(entry, property, base, stored, theirs, isSameVersion);
      if (conflict !== undefined) conflicts.push(conflict);
    } else assignValue(target, property, theirs, leaves);
  }
  assignLeaves(target, leaves);
  entry.snapshot = loaded === undefined ? snapshot : combine(old, snapshot, loaded, isSameVersion);
  if (option === "overwriteChanges") {
    entry.intent = noIntent;
    entry.explicitlyModified = undefined;
    entry.messages = noMessages;
  }
  if (loaded !== undefined && !isSameVersion && knowsMore(old, loaded)) {
    // If old values took on the new version, they would overwrite changes made in between.
    entry.isStale = entry.etag !== "*";
    entry.conflicts = conflicts;
    return;
  }
  entry.etag = etag;
  if (entry.intent.type === "add")
    entry.intent = { type: "add", ...(etag !== undefined && { replaces: etag }) };
  entry.reset();
  entry.isUnread = false;
  if (!keepsAttempts) entry.tookOver(row);
  entry.conflicts = conflicts;
  assignSystemValues(model, target, etag, timestampOf(row));
}

/** The value of a property in an entity that was read; for an object's marker, only if it is stored. */
const storedIn = (property: PropertyModel, snapshotValue: SnapshotValue, entity: object): unknown =>
  property.place !== undefined && property.place.member === undefined && snapshotValue === undefined
    ? undefined
    : valueIn(property, entity as Readonly<Record<string, unknown>>);

/** Whether more of an entity is known than a projected row has. */
const knowsMore = (old: Snapshot | undefined, loaded: readonly boolean[]): boolean =>
  old !== undefined &&
  old.values.some((snapshotValue, i) => snapshotValue !== notLoaded && loaded[i] !== true);

/** Whether a save assigned the value that a property has. */
const isSaveFilled = ({ entity, saveFilled }: TrackedEntity, property: PropertyModel): boolean =>
  saveFilled !== undefined &&
  Object.is(saveFilled.get(property)?.value, (entity as Readonly<Record<string, unknown>>)[property.name]);

/** Whether the program edited a property, or the object that it is a leaf of. */
function isEditedIn({ entity, model }: TrackedEntity, { values }: Snapshot, i: number): boolean {
  const property = model.properties[i] as PropertyModel;
  const target = entity as Readonly<Record<string, unknown>>;
  return (
    isValueEdited(property, values[i], target) ||
    (property.place !== undefined && isDecided(property, target, snapshotValueIn(model, values)))
  );
}

function isValueEdited(
  property: PropertyModel,
  snapshotValue: SnapshotValue,
  entity: Readonly<Record<string, unknown>>,
): boolean {
  const value = valueIn(property, entity);
  return !(Object.is(value, snapshotValue) || isAsInSnapshot(property, snapshotValue, value));
}

/**
 * Both sides changed the property, and not to the same value; for a property that was not loaded, any other value in
 * a newer row counts. A conflict that an earlier read found stays until it is resolved.
 *
 * @param base - its value in the snapshot
 * @param stored - its value in the row, which is `theirs` for the program
 */
function conflictOf(
  { entity, conflicts }: TrackedEntity,
  property: PropertyModel,
  base: SnapshotValue,
  stored: SnapshotValue,
  theirs: unknown,
  isSameVersion: boolean,
): PropertyConflict | undefined {
  const mine = valueIn(property, entity as Readonly<Record<string, unknown>>);
  if (isAsInSnapshot(property, stored, mine)) return undefined;
  const earlier = conflicts.find((conflict) => conflict.property === property.name);
  const isKnown = base !== notLoaded;
  // A value that the row lacked then and lacks now was not changed by another program, even if the instance has an
  // initial value.
  const isStillAbsent = isKnown && !isStored(base) && !isStored(stored);
  const isTheirsChanged = isKnown
    ? !isStillAbsent && !Object.is(base, theirs) && !isAsInSnapshot(property, base, theirs)
    : !isSameVersion;
  if (!isTheirsChanged && earlier === undefined) return undefined;
  const read = isKnown ? hostValueOf(property, base) : undefined;
  return { property: property.name, base: earlier === undefined ? read : earlier.base, mine, theirs };
}

/**
 * A projected row has only the selected properties; if it is of another version, the rest of the snapshot may be of a
 * former one.
 */
function combine(
  old: Snapshot | undefined,
  fresh: Snapshot,
  loaded: readonly boolean[],
  isSameVersion: boolean,
): Snapshot {
  if (old === undefined) return fresh;
  const { stored } = isSameVersion || !knowsMore(old, loaded) ? fresh : old;
  return {
    values: old.values.map((snapshotValue, i) => (loaded[i] === true ? fresh.values[i] : snapshotValue)),
    undeclared: old.undeclared,
    isComplete: old.isComplete && isSameVersion,
    age: fresh.age,
    ...(stored !== undefined && { stored }),
  };
}

/**
 * Fills in the properties that a projected read left out, from a row of the same version; loaded values and edits
 * stay.
 */
export function completeEntity(entry: TrackedEntity, row: StoredEntity, loaded?: LoadedProperties): void {
  const { snapshot: old, model, etag } = entry;
  const isPartly = old?.values.includes(notLoaded) === true || (old?.age === "older" && !old.isComplete);
  if (old === undefined || etag !== etagOf(row) || !isPartly) return;
  checkAssignable(entry.entity, model, entry.key, "Reading the rest");
  const { entity: fresh, snapshot } = decodeEntity(model, row, loaded);
  const source = fresh as Readonly<Record<string, unknown>>;
  const target = entry.entity as Record<string, unknown>;
  const values = old.values.map((snapshotValue, i) =>
    loaded?.[i] === false ? snapshotValue : snapshot.values[i],
  );
  const leaves: LeafValue[] = [];
  for (const [i, property] of model.properties.entries()) {
    if (loaded?.[i] === false) continue;
    // Values that an attached entity only claimed are replaced too, unless they were edited since.
    if (!isEditedIn(entry, old, i))
      assignValue(target, property, storedIn(property, snapshot.values[i], source), leaves);
  }
  assignLeaves(target, leaves);
  entry.snapshot = snapshot.isComplete ? { ...snapshot, values } : { ...old, values };
}

/** Gives an entity the values of its snapshot again; properties that were not loaded become undefined. */
export function restoreValues({ entity, model, key, snapshot, etag }: TrackedEntity): void {
  if (snapshot === undefined) return;
  const target = entity as Record<string, unknown>;
  assignKeys(model, { PartitionKey: key.partitionKey, RowKey: key.rowKey }, target);
  const leaves: LeafValue[] = [];
  for (const [i, property] of model.properties.entries())
    assignValue(target, property, hostValueOf(property, snapshot.values[i]), leaves);
  assignLeaves(target, leaves);
  if (model.etagProperty !== undefined) target[model.etagProperty] = etag;
}
