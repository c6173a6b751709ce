import { StateError } from "../errors/state-error.ts";
import type { AnyDerivedFormat } from "../keys/derived-format.ts";
import { splitKey } from "../keys/key-template.ts";
import { comparable } from "../materialize/decode-entity.ts";
import { subjectOf } from "../materialize/encode-entity.ts";
import { notLoaded, type Snapshot } from "../materialize/snapshot.ts";
import type { KeyProperty, PropertyModel } from "../model/entity-model.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** What differs between an entity and its snapshot, by position in the model. */
export interface PropertyChanges {
  /** Properties with a new value. */
  readonly assigned: readonly number[];
  /** Stored properties that were set to undefined or null. */
  readonly cleared: readonly number[];
}

const none: PropertyChanges = { assigned: [], cleared: [] };

/**
 * Compares an entity with its snapshot, decoded value by decoded value: a Date that was read from a text of 7 digits
 * is unchanged, and so is JSON with other spacing. What was not loaded counts as changed once it has a value.
 */
export function detectChanges(entry: TrackedEntity, { values }: Snapshot): PropertyChanges {
  const entity = entry.entity as Readonly<Record<string, unknown>>;
  const { properties } = entry.model;
  let assigned: number[] | undefined;
  let cleared: number[] | undefined;
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const value = entity[property.name];
    const kept = values[i];
    if (value === kept && isSame(property, value, kept)) continue;
    if (isAsKept(property, kept, value)) continue;
    if (value !== undefined && value !== null) (assigned ??= []).push(i);
    else (cleared ??= []).push(i);
  }
  if (assigned === undefined && cleared === undefined) return none;
  return { assigned: assigned ?? [], cleared: cleared ?? [] };
}

/** Whether `===` is enough: not for zero, which may have lost its sign, nor for text that only looks like its stored form. */
export function isSame({ serializer: { keeping } }: PropertyModel, value: unknown, kept: unknown): boolean {
  return (
    value === undefined ||
    keeping === "value" ||
    (keeping === "number" && (value !== 0 || Object.is(value, kept)))
  );
}

/** Whether a value that is not identical to what is kept still means the same. */
export function isAsKept(property: PropertyModel, kept: unknown, value: unknown): boolean {
  if (kept !== undefined && kept !== notLoaded) return property.serializer.isUnchanged(kept, value);
  // Null, unlike undefined, is somebody's word that there is to be no value.
  if (kept === notLoaded) return value === undefined;
  return value === undefined || value === null || isDefault(property, value);
}

/** Whether a property that the row lacks still has the default it was read with. */
function isDefault({ defaultStored, serializer, path }: PropertyModel, value: unknown): boolean {
  if (defaultStored === undefined) return false;
  const annotation = serializer.isAnnotated(defaultStored) ? serializer.edm : undefined;
  const initial: unknown = serializer.decode(defaultStored, annotation, path);
  return serializer.isUnchanged(serializer.keep(defaultStored, initial, annotation), value);
}

/** @throws StateError `entity.key-changed` when a key part is not what it was when the entity was read or added */
export function checkKeyUnchanged(entry: TrackedEntity): void {
  const property = changedKeyPart(entry) ?? changedSource(entry);
  const { model, key } = entry;
  if (property !== undefined)
    throw new StateError(
      "entity.key-changed",
      `${subjectOf(model, key)} has another ${property.name} now, which is part of its ${property.key}, and a stored key cannot change. To move the entity, set ${property.name} back, remove it, and add a copy with the new value.`,
      { entity: model.name, property: property.name, key: property.key },
    );
}

/** A key part that is not what it was when the entity was read or added. */
function changedKeyPart({ entity, model, keyValues }: TrackedEntity): KeyProperty | undefined {
  const values = entity as Readonly<Record<string, unknown>>;
  for (let i = 0; i < keyValues.length; i++) {
    const property = model.keyProperties[i] as KeyProperty;
    const value = values[property.name];
    if (value !== keyValues[i] && comparable(value) !== keyValues[i]) return property;
  }
  return undefined;
}

/** A stored property that a key part is derived from, and of which the part would be another now. */
function changedSource({ entity, model, key, snapshot }: TrackedEntity): KeyProperty | undefined {
  const values = entity as Readonly<Record<string, unknown>>;
  for (const { key: name, index, part } of model.derivedParts) {
    const property = part.property as string;
    const at = model.properties.findIndex((each) => each.name === property);
    if (at < 0) continue;
    // What nobody changed is no reason to refuse, be it of another slice than its key says.
    const kept = snapshot?.values[at];
    if (snapshot !== undefined && isAsKept(model.properties[at] as PropertyModel, kept, values[property]))
      continue;
    const isRow = name === "RowKey";
    const texts = splitKey(isRow ? model.rowKey : model.partitionKey, isRow ? key.rowKey : key.partitionKey);
    const format = part.format as AnyDerivedFormat;
    if (!format.textsOf(values[property]).includes(texts?.[index] ?? ""))
      return { name: property, key: name, index };
  }
  return undefined;
}

/** What the owner of an entity that was read has changed in it. */
export function changesOf(entry: TrackedEntity): PropertyChanges {
  return entry.snapshot === undefined ? none : detectChanges(entry, entry.snapshot);
}
