import { isAbsent } from "./is-absent.ts";
import { SnapshotForm } from "../../values/edm/snapshot-form.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityModel, KeyProperty, PropertyModel } from "../declaration/entity-model.ts";
import { comparable } from "./decode-entity.ts";
import type { KnownKey, PropertyChanges } from "./entity-codec.ts";
import { valueIn } from "./embedded-values.ts";
import { InitialValue } from "./initial-value.ts";
import { notLoaded } from "./snapshot.ts";

/** Nothing differs. */
export const noChanges: PropertyChanges = { assigned: [], cleared: [], isKeyChanged: false };

/** The differences between an entity and its snapshot, property by property; undefined if there are none. */
export function changesFrom(
  model: EntityModel,
  entity: Readonly<Record<string, unknown>>,
  values: readonly SnapshotValue[],
  known: KnownKey,
): PropertyChanges | undefined {
  const { properties, keyProperties } = model;
  const assigned: number[] = [];
  const cleared: number[] = [];
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const value = valueIn(property, entity);
    if (isAsInSnapshot(property, values[i], value)) continue;
    if (!isAbsent(property, value)) assigned.push(i);
    else cleared.push(i);
  }
  let isKeyChanged = false;
  for (let i = 0; i < keyProperties.length; i++)
    if (isPartChanged(model, i, entity, known)) isKeyChanged = true;
  if (assigned.length === 0 && cleared.length === 0 && !isKeyChanged) return undefined;
  return { assigned, cleared, isKeyChanged };
}

/** Whether an entity has another value for a part of its key than it was read or added with. */
export function isPartChanged(
  { keyProperties }: EntityModel,
  i: number,
  entity: Readonly<Record<string, unknown>>,
  { keyValues, partitionKey, rowKey }: KnownKey,
): boolean {
  const { name, key } = keyProperties[i] as KeyProperty;
  const text = key === "PartitionKey" ? partitionKey : rowKey;
  const former = keyValues === undefined ? text : keyValues[i];
  return entity[name] !== former && comparable(entity[name]) !== former;
}

/** Whether a value still means the same as its snapshot value. */
export function isAsInSnapshot(property: PropertyModel, snapshotValue: unknown, value: unknown): boolean {
  // Null, unlike undefined, is an explicit request for no value. An object that leaves show needs no marker.
  if (snapshotValue === notLoaded)
    return value === undefined || property.serializer.isEmpty?.(value) === true;
  if (snapshotValue === undefined) return isAbsent(property, value);
  if (InitialValue.is(snapshotValue))
    return isAbsent(property, value) || snapshotValue.isUnchanged(property, value);
  return property.serializer.isUnchanged(
    SnapshotForm.is(snapshotValue) ? snapshotValue.snapshotValue : snapshotValue,
    value,
  );
}
