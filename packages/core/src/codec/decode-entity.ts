import type { Kept } from "../edm/serializer.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { Ticks } from "../edm/ticks.ts";
import { parseKey, type KeyTemplate } from "../keys/key-template.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { ageOf, currentRow } from "./current-row.ts";
import { countLayoutMembers, etagOf, timestampOf } from "./row-layout.ts";
import { reportAbsent } from "./absent-values.ts";
import { type LoadedProperties, notLoaded, type Snapshot, undeclaredOf, hostValueOf } from "./snapshot.ts";

/** An entity built from its row, and the row as what later changes are found against. */
export interface DecodedEntity {
  readonly entity: object;
  readonly snapshot: Snapshot;
}

/**
 * Builds an instance from a stored entity. Only declared properties are assigned: other names from the wire stay in
 * the snapshot.
 *
 * @param loaded - what the query selected; the rest stays undefined
 * @param isStrict - whether a row without a value of a required property is an error
 * @throws SerializationError or KeyError naming class and property, when the stored data is not what the class declares
 */
export function decodeEntity(
  model: EntityModel,
  asStored: StoredEntity,
  loaded?: LoadedProperties,
  isStrict = false,
): DecodedEntity {
  const stored = currentRow(model, asStored);
  const entity = newEntity(model, stored);
  const { properties } = model;
  const values: Kept[] = model.noValues.slice();
  let members = countLayoutMembers(model, stored);
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    if (loaded !== undefined && loaded[i] !== true) {
      values[i] = notLoaded;
      entity[property.name] = undefined;
      continue;
    }
    const found = stored[property.storedName];
    if (found === undefined) {
      if (property.presence === "required") reportAbsent(model, asStored, property, isStrict);
      entity[property.name] = hostValueOf(property, undefined);
      continue;
    }
    const annotation = stored[property.annotationName];
    const value: unknown = property.serializer.decode(found, annotation, property.path);
    entity[property.name] = value;
    values[i] = property.serializer.keep(found, value, annotation);
    members += annotation === undefined ? 1 : 2;
  }
  const isWhole = loaded === undefined;
  const undeclared = isWhole ? undeclaredOf(model, stored, members) : undefined;
  return { entity, snapshot: { values, undeclared, isWhole, age: ageOf(model, asStored) } };
}

/** Builds an instance that nobody tracks, for reading only. @throws as `decodeEntity` does */
export function readEntity(model: EntityModel, asStored: StoredEntity, isStrict = false): object {
  const stored = currentRow(model, asStored);
  const entity = newEntity(model, stored);
  const { properties } = model;
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    entity[property.name] = readValue(model, property, stored, isStrict);
  }
  return entity;
}

/** The selected properties of a row, and its keys, as a plain object. @throws as `decodeEntity` does */
export function readProjection(
  model: EntityModel,
  asStored: StoredEntity,
  loaded: readonly boolean[],
  isStrict = false,
): Record<string, unknown> {
  const stored = currentRow(model, asStored);
  const values: Record<string, unknown> = {};
  assignKeys(model, stored, values);
  for (const [i, property] of model.properties.entries()) {
    if (loaded[i] === true) values[property.name] = readValue(model, property, stored, isStrict);
  }
  return values;
}

function readValue(
  model: EntityModel,
  property: PropertyModel,
  stored: StoredEntity,
  isStrict: boolean,
): unknown {
  const found = stored[property.storedName];
  if (found !== undefined)
    return property.serializer.decode(found, stored[property.annotationName], property.path);
  if (property.presence === "required") reportAbsent(model, stored, property, isStrict);
  return hostValueOf(property, undefined);
}

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

/** An entity's key parts, each as something `===` compares: what a save holds later values against. */
export function keyValuesOf(model: EntityModel, entity: object): readonly unknown[] {
  const values = entity as Readonly<Record<string, unknown>>;
  return model.keyProperties.map(({ name }) => comparable(values[name]));
}

/** A key part's value as something `===` compares: dates and ticks by their number. */
export function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return value instanceof Ticks ? value.value : value;
}

function assignKey(template: KeyTemplate, text: string, name: string, entity: Record<string, unknown>): void {
  const values = parseKey(template, text, name);
  for (let i = 0; i < values.length; i++) {
    const part = template.parts[i];
    if (part?.property !== undefined && part.isDerived !== true) entity[part.property] = values[i];
  }
}
