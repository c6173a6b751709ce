import { SerializationError } from "../../values/errors/serialization-error.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import { sizeOfStored } from "../../values/edm/edm-types.ts";
import { SnapshotForm } from "../../values/edm/snapshot-form.ts";
import {
  annotationOf,
  type EntityKey,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../../values/edm/stored-entity.ts";
import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";
import { sizeOfProperties, type EntitySize } from "../../storage/limits.ts";
import type { RowAge } from "./current-row.ts";
import { InitialValue } from "./initial-value.ts";
import { type OlderLayout, olderLayoutOf, type OlderValues } from "./older-layout.ts";
import { isLayoutMember, newImage, sizeOfImage, storedVersion, withoutSystemValues } from "./row-layout.ts";

/**
 * An entity's properties as last known to be stored. It shares immutable values with the entity, and represents the
 * row in every digit: a complete snapshot restores the stored entity.
 */
export interface Snapshot extends SnapshotFacts {
  /**
   * The snapshot value of each property, by its position in the model; undefined where the row has none, an
   * `InitialValue` where the entity has one all the same; or `notLoaded`.
   */
  readonly values: readonly SnapshotValue[];
}

/** The state of a snapshot in addition to its values: the same for most entities. */
export interface SnapshotFacts {
  /** Stored properties that the class does not declare, with their annotations. */
  readonly undeclared: UndeclaredProperties | undefined;
  /** Whether this is everything the row has. */
  readonly isComplete: boolean;
  /** For an older row: its upgraded form, which is stored completely or not at all. A newer row is never replaced. */
  readonly age: RowAge;
  /** The row as it is stored, if rows of its class keep the form of an older version. */
  readonly stored?: StoredForm;
}

/** The row of a class that keeps an older form: parsed, or as the values in that form. */
export type StoredForm = StoredEntity | OlderValues;

/** The snapshot of a row that is written completely. */
export const completeSnapshot = (
  values: readonly SnapshotValue[],
  undeclared?: UndeclaredProperties,
): Snapshot => ({
  values,
  undeclared,
  isComplete: true,
  age: undefined,
});

/** For a complete row of the present version, without undeclared properties. */
export const usualFacts: SnapshotFacts = { undeclared: undefined, isComplete: true, age: undefined };

const otherFacts = [true, false].flatMap((isComplete) =>
  (["older", "newer", undefined] as const).map((age): SnapshotFacts => ({ ...usualFacts, isComplete, age })),
);

/** The facts of a snapshot, as one object for all snapshots that have nothing undeclared. */
export function factsOf({ undeclared, isComplete, age, stored }: Snapshot): SnapshotFacts {
  if (stored !== undefined) return { undeclared, isComplete, age, stored };
  if (undeclared !== undefined) return { undeclared, isComplete, age };
  if (isComplete && age === undefined) return usualFacts;
  return otherFacts.find((facts) => facts.isComplete === isComplete && facts.age === age) as SnapshotFacts;
}

/** Stored members in addition to those that a class declares. */
export type UndeclaredProperties = Readonly<Record<string, StoredEntity[string]>>;

/** Represents a value that a projection left out. */
export const notLoaded: unique symbol = Symbol("not loaded");

/** Whether a snapshot value represents a value that is known to be stored. */
export const isStored = (snapshotValue: SnapshotValue): boolean =>
  snapshotValue !== undefined &&
  snapshotValue !== notLoaded &&
  (typeof snapshotValue !== "object" || !InitialValue.is(snapshotValue));

/** Properties of a model that a read returns, by position; undefined: all of them. */
export type LoadedProperties = readonly boolean[] | undefined;

/** The members of a row that its class does not declare; undefined when there are none. */
export function undeclaredOf(
  model: EntityModel,
  stored: StoredEntity,
  declaredMembers: number,
): UndeclaredProperties | undefined {
  let count = 0;
  for (const _name in stored) count++;
  return count === declaredMembers ? undefined : collectUndeclared(model, stored);
}

function collectUndeclared(model: EntityModel, stored: StoredEntity): UndeclaredProperties | undefined {
  const { version } = model;
  const declared = new Set(model.properties.flatMap((p) => [p.storedName, p.annotationName]));
  const found: StoredEntityDraft = Object.create(null) as StoredEntityDraft;
  let isEmpty = true;
  const take = (name: string): void => {
    isEmpty = false;
    // It would be written back unchanged, however deep it is.
    if (typeof stored[name] === "object" && stored[name] !== null)
      throw new SerializationError(
        "edm.malformed",
        `A row of ${model.name} has a value that is neither text, number nor boolean, which no entity of the service has.`,
        { entity: model.name },
      );
    setMember(found, name, stored[name]);
  };
  for (const name of Object.keys(stored)) {
    if (declared.has(name) || isLayoutMember(model, stored, name)) continue;
    take(name);
    if (stored[annotationOf(name)] !== undefined) take(annotationOf(name));
  }
  // A row without a version is not given one by the way.
  if (version !== undefined && storedVersion(version, stored) === undefined) take(version.storedName);
  return isEmpty ? undefined : found;
}

/** Restores the complete stored entity, without Timestamp and ETag. */
export function restoreStored(
  model: EntityModel,
  key: EntityKey,
  {
    values,
    undeclared,
    stored: asStored,
  }: Pick<Snapshot, "values"> & Partial<Pick<Snapshot, "undeclared" | "stored">>,
): StoredEntity {
  if (asStored !== undefined) return withoutSystemValues(storedRow(model, key, asStored));
  return rowOfValues(model, key, values, undeclared);
}

/** The row of a class that keeps an older form. */
export const storedRow = (model: EntityModel, key: EntityKey, stored: StoredForm): StoredEntity =>
  isRow(stored)
    ? stored
    : rowOfValues((olderLayoutOf(model) as OlderLayout).rows, key, [...stored.values, ...stored.older]);

/** Whether the stored form is a parsed row. */
export const isRow = (stored: StoredForm): stored is StoredEntity => "PartitionKey" in stored;

function rowOfValues(
  model: EntityModel,
  key: EntityKey,
  values: readonly SnapshotValue[],
  undeclared?: UndeclaredProperties,
): StoredEntity {
  const stored = newImage(model, key);
  for (let i = 0; i < values.length; i++) {
    const snapshotValue = values[i];
    if (isStored(snapshotValue)) restoreProperty(model.properties[i] as PropertyModel, snapshotValue, stored);
  }
  for (const name in undeclared) setMember(stored, name, undeclared[name]);
  return stored;
}

/** Adds one property and, where its type needs it, its annotation; returns the stored value. */
export function encodeProperty(
  property: PropertyModel,
  value: unknown,
  into: StoredEntityDraft,
): StoredValue {
  const { serializer } = property;
  const encoded = serializer.encode(value, property.path);
  // The service names the type before the value; a merge over an older type must not keep its annotation.
  if (serializer.isAnnotated(encoded)) into[property.annotationName] = serializer.edm;
  else if (into[property.annotationName] !== undefined) into[property.annotationName] = undefined;
  into[property.storedName] = encoded;
  return encoded;
}

/** The same, without the value; returns the snapshot value. */
export function putEncoded(property: PropertyModel, value: unknown, into: StoredEntityDraft): SnapshotValue {
  const encoded = encodeProperty(property, value, into);
  return property.serializer.keep(encoded, value, into[property.annotationName]) as SnapshotValue;
}

/** Puts a snapshot value into a stored entity, annotated as its row has it. */
export function restoreProperty(
  property: PropertyModel,
  snapshotValue: SnapshotValue,
  into: StoredEntityDraft,
): void {
  const { serializer, storedName, annotationName, path } = property;
  // The service names the type before the value.
  if (SnapshotForm.is(snapshotValue)) {
    into[annotationName] = snapshotValue.annotation;
    into[storedName] = snapshotValue.stored;
    return;
  }
  const value = serializer.restore(snapshotValue, path);
  if (serializer.isAnnotated(value)) into[annotationName] = serializer.edm;
  into[storedName] = value;
}

/** The host value of a snapshot value. */
export function hostValueOf(property: PropertyModel, snapshotValue: SnapshotValue): unknown {
  if (snapshotValue === notLoaded || snapshotValue === undefined) return undefined;
  if (InitialValue.is(snapshotValue)) return snapshotValue.valueOf(property);
  const { serializer, path } = property;
  if (SnapshotForm.is(snapshotValue))
    return serializer.decode(snapshotValue.stored, snapshotValue.annotation, path);
  const stored = serializer.restore(snapshotValue, path);
  return serializer.decode(stored, serializer.isAnnotated(stored) ? serializer.edm : undefined, path);
}

/** The size of the stored entity, as the service counts it. */
export function sizeOfSnapshot(model: EntityModel, keyLength: number, snapshot: Snapshot): EntitySize {
  const { values, undeclared } = snapshot;
  let { bytes, count } = sizeOfImage(model);
  bytes += 2 * keyLength;
  if (undeclared !== undefined) {
    const more = sizeOfProperties(undeclared, 0);
    // The formula counts the keys, which the image has already.
    bytes += more.bytes - 4;
    count += more.count;
  }
  for (let i = 0; i < values.length; i++) {
    const snapshotValue = values[i];
    if (!isStored(snapshotValue)) continue;
    const { overheadBytes, serializer } = model.properties[i] as PropertyModel;
    bytes += overheadBytes;
    if (SnapshotForm.is(snapshotValue)) bytes += sizeOfStored(snapshotValue.stored, snapshotValue.annotation);
    else bytes += serializer.sizeOfSnapshotValue?.(snapshotValue) ?? serializer.sizeOf(snapshotValue);
    count++;
  }
  return { bytes, count };
}
