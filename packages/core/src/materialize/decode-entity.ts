import type { StoredEntity } from "../edm/stored-entity.ts";
import { parseKey, type KeyTemplate } from "../keys/key-template.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { Ticks } from "../edm/ticks.ts";

/**
 * Builds an instance from a stored entity. Only declared properties are assigned: other names from the wire stay in
 * the stored entity.
 *
 * @throws SerializationError or KeyError naming class and property, when the stored data is not what the class declares
 */
export function decodeEntity(model: EntityModel, stored: StoredEntity): object {
  const entity = model.createBlank() as Record<string, unknown>;
  assignKey(model.partitionKey, stored.PartitionKey, model.name, entity);
  assignKey(model.rowKey, stored.RowKey, model.name, entity);
  const { properties } = model;
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    entity[property.name] = decodeProperty(property, stored);
  }
  if (model.etagProperty !== undefined) entity[model.etagProperty] = stored["odata.etag"];
  if (model.timestampProperty !== undefined)
    entity[model.timestampProperty] = stored.Timestamp === undefined ? undefined : new Date(stored.Timestamp);
  return entity;
}

/** An entity's key parts, each as something `===` compares: what a save holds later values against. */
export function keyValuesOf(model: EntityModel, entity: object): readonly unknown[] {
  const values = entity as Readonly<Record<string, unknown>>;
  const { keyProperties } = model;
  return keyProperties.map(({ name }) => comparable(values[name]));
}

/** A property's value; absent ones read as the declared default, else undefined. */
function decodeProperty(property: PropertyModel, stored: StoredEntity): unknown {
  const value = stored[property.storedName];
  if (value !== undefined)
    return property.serializer.decode(value, stored[property.annotationName], property.path);
  const { defaultStored, serializer } = property;
  if (defaultStored === undefined) return undefined;
  const annotation = serializer.isAnnotated(defaultStored) ? serializer.edm : undefined;
  return serializer.decode(defaultStored, annotation, property.path);
}

/** A key part's value as something `===` compares: dates and ticks by their number. */
export function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return value instanceof Ticks ? value.value : value;
}

function assignKey(template: KeyTemplate, text: string, name: string, entity: Record<string, unknown>): void {
  const values = parseKey(template, text, name);
  for (let i = 0; i < values.length; i++) {
    const property = template.parts[i]?.property;
    if (property !== undefined) entity[property] = values[i];
  }
}
