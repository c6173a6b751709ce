import type { StoredEntity } from "../edm/stored-entity.ts";
import { StateError } from "../errors/state-error.ts";
import { comparable } from "../materialize/decode-entity.ts";
import { subjectOf } from "../materialize/encode-entity.ts";
import type { KeyProperty, PropertyModel } from "../model/entity-model.ts";
import type { EntityState, TrackedEntity } from "./tracked-entity.ts";

/** What differs between an entity and its snapshot. */
export interface PropertyChanges {
  /** Properties with a new value. */
  readonly assigned: readonly PropertyModel[];
  /** Stored properties that were set to undefined or null. */
  readonly cleared: readonly PropertyModel[];
}

const none: PropertyChanges = { assigned: [], cleared: [] };

/**
 * Compares an entity with its snapshot, decoded value by decoded value: a Date that was read from a text of 7 digits
 * is unchanged, and so is JSON with other spacing.
 */
export function detectChanges(entry: TrackedEntity, snapshot: StoredEntity): PropertyChanges {
  const values = entry.entity as Readonly<Record<string, unknown>>;
  const { properties } = entry.model;
  let assigned: PropertyModel[] | undefined;
  let cleared: PropertyModel[] | undefined;
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const value = values[property.name];
    const stored = snapshot[property.storedName];
    if (value === stored && isPlain(property, value)) continue;
    if (isAsRead(property, stored, value)) continue;
    if (value !== undefined && value !== null) (assigned ??= []).push(property);
    else if (stored !== undefined) (cleared ??= []).push(property);
  }
  if (assigned === undefined && cleared === undefined) return none;
  return { assigned: assigned ?? [], cleared: cleared ?? [] };
}

/** Whether a value that equals its stored form needs no second look. Zero does: it may have lost its sign. */
const isPlain = ({ serializer }: PropertyModel, value: unknown): boolean =>
  serializer.isVerbatim || value === undefined || (typeof value === "number" && value !== 0);

function isAsRead(property: PropertyModel, stored: StoredEntity[string], value: unknown): boolean {
  const known = stored ?? property.defaultStored;
  return known !== undefined && property.serializer.isUnchanged(known, value);
}

/** @throws StateError `entity.key-changed` when a key part is not what it was when the entity was read or added */
export function checkKeyUnchanged({ entity, model, key, keyValues }: TrackedEntity): void {
  const values = entity as Readonly<Record<string, unknown>>;
  for (let i = 0; i < keyValues.length; i++) {
    const property = model.keyProperties[i] as KeyProperty;
    if (comparable(values[property.name]) === keyValues[i]) continue;
    throw new StateError(
      "entity.key-changed",
      `${subjectOf(model, key)} has another ${property.name} now, which is part of its ${property.key}, and a stored key cannot change. To move the entity, set ${property.name} back, remove it, and add a copy with the new value.`,
      { entity: model.name, property: property.name, key: property.key },
    );
  }
}

/** What the entity is to its context now. */
export function stateOf(entry: TrackedEntity): EntityState {
  switch (entry.intent.type) {
    case "add":
      // Removed and added again: the row is stored, and will be replaced.
      return entry.snapshot === undefined ? "added" : "modified";
    case "upsert":
      return "upsert";
    case "remove":
      return "deleted";
    case "none": {
      const { assigned, cleared } = detectChanges(entry, entry.snapshot as StoredEntity);
      return assigned.length + cleared.length === 0 ? "unchanged" : "modified";
    }
    default:
      return entry.intent satisfies never;
  }
}
