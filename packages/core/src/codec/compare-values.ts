import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { notLoaded, type Snapshot } from "./snapshot.ts";

/** What differs between an entity and its snapshot, by position in the model. */
export interface PropertyChanges {
  /** Properties with a new value. */
  readonly assigned: readonly number[];
  /** Stored properties that were set to undefined or null. */
  readonly cleared: readonly number[];
}

/** Nothing differs. */
export const noChanges: PropertyChanges = { assigned: [], cleared: [] };

/**
 * Compares an entity with its snapshot, decoded value by decoded value: a Date that was read from a text of 7 digits
 * is unchanged, and so is JSON with other spacing. What was not loaded counts as changed once it has a value.
 */
export function compareValues(
  { properties }: EntityModel,
  entity: Readonly<Record<string, unknown>>,
  { values }: Snapshot,
): PropertyChanges {
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
  if (assigned === undefined && cleared === undefined) return noChanges;
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
