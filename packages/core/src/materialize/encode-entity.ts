import type { EntityKey, StoredEntity, StoredEntityDraft } from "../edm/stored-entity.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { composeKey } from "../keys/key-template.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { maxEntityBytes, maxProperties, sizeOfEntity } from "../storage/limits.ts";

/**
 * The key of an entity, from its own properties.
 *
 * @throws KeyError naming class and property
 */
export function keyOfEntity(model: EntityModel, values: object): EntityKey {
  const record = values as Readonly<Record<string, unknown>>;
  return {
    partitionKey: composeKey(model.partitionKey, record, model.name),
    rowKey: composeKey(model.rowKey, record, model.name),
  };
}

/**
 * Everything an entity stores: keys, kind, version and every declared property that has a value.
 *
 * @throws SerializationError naming class and property, for values that cannot be stored and limits that are passed
 */
export function encodeEntity(model: EntityModel, entity: object, key: EntityKey): StoredEntity {
  const stored = emptyImage(model, key);
  const values = entity as Readonly<Record<string, unknown>>;
  const { properties } = model;
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const value = values[property.name];
    if (value !== undefined && value !== null) encodeProperty(property, value, stored);
    else if (property.presence === "required") throw SerializationError.required(property.path);
  }
  checkLimits(model, key, stored);
  return stored;
}

/** The keys, kind and version every whole image of an entity carries. */
function emptyImage({ kind, version }: EntityModel, key: EntityKey): StoredEntityDraft {
  const stored: StoredEntityDraft = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
  if (kind !== undefined) stored[kind.storedName] = kind.name;
  if (version !== undefined) stored[version.storedName] = version.number;
  return stored;
}

/** Adds one property and, where its type needs it, its annotation. */
export function encodeProperty(property: PropertyModel, value: unknown, into: StoredEntityDraft): void {
  const { serializer } = property;
  const encoded = serializer.encode(value, property.path);
  // The service names the type before the value; a merge over an older type must not keep its annotation.
  if (serializer.isAnnotated(encoded)) into[property.annotationName] = serializer.edm;
  else if (into[property.annotationName] !== undefined) delete into[property.annotationName];
  into[property.storedName] = encoded;
}

/** @throws SerializationError `entity.too-many-properties` or `entity.too-large` */
export function checkLimits(model: EntityModel, key: EntityKey, stored: StoredEntity): void {
  const { bytes, count } = sizeOfEntity(stored);
  const subject = subjectOf(model, key);
  if (count > maxProperties)
    throw SerializationError.entityLimit(
      "entity.too-many-properties",
      `${subject} would have ${count} properties; the service stores at most ${maxProperties}. Put some together as JSON.`,
      { entity: model.name, count, limit: maxProperties },
    );
  if (bytes > maxEntityBytes)
    throw SerializationError.entityLimit(
      "entity.too-large",
      `${subject} would take ${bytes} bytes; the service stores at most ${maxEntityBytes}. Split it over several entities.`,
      { entity: model.name, bytes, limit: maxEntityBytes },
    );
}

/** Class, table and key, for messages: `City in Places ("BR", "City_…")`. */
export function subjectOf(model: EntityModel, { partitionKey, rowKey }: EntityKey): string {
  return `${model.name} in ${model.table} (${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;
}
