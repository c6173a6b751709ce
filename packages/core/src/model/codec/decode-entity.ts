// `codec-of.ts` and `loop-codec.ts` call this file to read projections, and rows where no compiled code is available.
// It builds an instance and its snapshot, property by property; compiled code shares its helpers.

import { isDate } from "../../values/errors/built-ins.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { Ticks } from "../../values/edm/ticks.ts";
import { parseKey, type KeyTemplate } from "../../values/keys/key-template.ts";
import {
  keepsOlderForm,
  type EntityModel,
  memberNameOf,
  type PropertyModel,
} from "../declaration/entity-model.ts";
import { ageOf, currentRow } from "./current-row.ts";
import type { DecodedEntity } from "./entity-codec.ts";
import { countLayoutMembers, etagOf, timestampOf } from "./row-layout.ts";
import { absentValue } from "./absent-values.ts";
import { placeEmbedded } from "./embedded-values.ts";
import { keepInitial } from "./initial-value.ts";
import { type LoadedProperties, notLoaded, undeclaredOf } from "./snapshot.ts";
import { errorOfRow } from "./unreadable-row.ts";

/**
 * Builds an instance from a row, property by property, and its snapshot. Only declared properties are assigned: other
 * names from the wire stay in the snapshot.
 *
 * @param loaded - the selected properties; the rest are undefined
 * @throws SerializationError or KeyError naming class, property and row, when the stored data does not match the
 *   class
 */
export const decodeRow = (model: EntityModel, row: StoredEntity, loaded: LoadedProperties): DecodedEntity =>
  naming(model, row, () => decode(model, row, loaded));

function decode(model: EntityModel, asStored: StoredEntity, loaded: LoadedProperties): DecodedEntity {
  const stored = currentRow(model, asStored);
  const entity = newEntity(model, stored);
  let members = countLayoutMembers(model, stored);
  const leaves: unknown[] = [];
  const values = model.properties.map((property, i): SnapshotValue => {
    const { name, place, storedName, annotationName, serializer } = property;
    if (loaded !== undefined && loaded[i] !== true) {
      entity[memberNameOf(property)] = undefined;
      return notLoaded;
    }
    const value = readValue(model, property, stored, entity);
    if (place === undefined) entity[name] = value;
    else leaves[i] = value;
    const [found, annotation] = [stored[storedName], stored[annotationName]];
    if (found === undefined) return keepInitial(property, value);
    members += annotation === undefined ? 1 : 2;
    return serializer.keep(found, value, annotation) as SnapshotValue;
  });
  const isComplete = loaded === undefined;
  placeEmbedded(model, entity, leaves, { snapshotValues: values, loaded });
  const undeclared = isComplete ? undeclaredOf(model, stored, members) : undefined;
  const snapshot = { values, undeclared, isComplete, age: ageOf(model, asStored) };
  return { entity, snapshot: keepsOlderForm(model) ? { ...snapshot, stored: asStored } : snapshot };
}

/** The selected properties of a row, and its keys, as a plain object. @throws as `decodeRow` does */
export const readProjection = (
  model: EntityModel,
  row: StoredEntity,
  loaded: readonly boolean[],
): Record<string, unknown> => naming(model, row, () => project(model, row, loaded));

function project(model: EntityModel, row: StoredEntity, loaded: readonly boolean[]): Record<string, unknown> {
  const stored = currentRow(model, row);
  const values: Record<string, unknown> = {};
  assignKeys(model, stored, values);
  // Created for the initial values of properties that the row lacks.
  let instance: Record<string, unknown> | undefined;
  const leaves: unknown[] = [];
  for (const [i, property] of model.properties.entries()) {
    if (loaded[i] !== true) continue;
    if (property.place !== undefined) {
      leaves[i] = readValue(model, property, stored, noValues);
      continue;
    }
    const hasValue = stored[property.storedName] !== undefined || !property.hasInitial();
    if (!hasValue) instance ??= model.createBlank() as Record<string, unknown>;
    values[property.name] = readValue(model, property, stored, hasValue ? noValues : (instance ?? noValues));
  }
  placeEmbedded(model, values, leaves, { loaded });
  return values;
}

const noValues: Readonly<Record<string, unknown>> = {};

/** Adds the row's keys to errors about a row. */
function naming<Result>(model: EntityModel, row: StoredEntity, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw errorOfRow(error, model, row);
  }
}

/**
 * The value of a property in a row.
 *
 * @param entity - the instance, which has its initial value where the row has none
 */
function readValue(
  model: EntityModel,
  property: PropertyModel,
  stored: StoredEntity,
  entity: Readonly<Record<string, unknown>>,
): unknown {
  const found = stored[property.storedName];
  if (found === undefined)
    return property.place === undefined ? absentValue(model, property, entity) : undefined;
  return property.serializer.decode(found, stored[property.annotationName], property.path);
}

/** A new instance with its keys and system values. */
function newEntity(model: EntityModel, stored: StoredEntity): Record<string, unknown> {
  const entity = model.createBlank() as Record<string, unknown>;
  assignKeys(model, stored, entity);
  assignSystemValues(model, entity, etagOf(stored), timestampOf(stored));
  return entity;
}

/** Reads both keys back into their parts. */
export function assignKeys(
  model: EntityModel,
  { PartitionKey, RowKey }: Pick<StoredEntity, "PartitionKey" | "RowKey">,
  entity: Record<string, unknown>,
): void {
  assignKey(model.partitionKey, PartitionKey, model.name, entity);
  assignKey(model.rowKey, RowKey, model.name, entity);
}

/** An instance for a row with nothing known but its key. */
export function stubOf(model: EntityModel, { partitionKey, rowKey }: EntityKey): object {
  const stub = model.createBlank() as Record<string, unknown>;
  assignKeys(model, { PartitionKey: partitionKey, RowKey: rowKey }, stub);
  return stub;
}

/** Puts ETag and Timestamp where the class wants them. */
export function assignSystemValues(
  { etagProperty, timestampProperty }: EntityModel,
  entity: Record<string, unknown>,
  etag: string | undefined,
  timestamp: string | undefined,
): void {
  if (etagProperty !== undefined) entity[etagProperty] = etag;
  if (timestampProperty !== undefined)
    entity[timestampProperty] = timestamp === undefined ? undefined : new Date(timestamp);
}

/** An entity's key parts, each in a form that `===` compares: a save compares later values with them. */
export function keyValuesOf(model: EntityModel, entity: object): readonly unknown[] {
  const values = entity as Readonly<Record<string, unknown>>;
  return model.keyProperties.map(({ name }) => comparable(values[name]));
}

/** A key part's value as something `===` compares: dates and ticks by their number. */
export function comparable(value: unknown): unknown {
  if (isDate(value)) return value.getTime();
  return Ticks.is(value) ? value.value : value;
}

/** Reads one key back into its parts. @throws KeyError `key.unreadable` */
export function assignKey(
  template: KeyTemplate,
  text: string,
  name: string,
  entity: Record<string, unknown>,
): void {
  const values = parseKey(template, text, name);
  for (let i = 0; i < values.length; i++) {
    const part = template.parts[i];
    if (part?.property !== undefined && part.isDerived !== true) entity[part.property] = values[i];
  }
}
