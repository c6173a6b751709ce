import type { Kept } from "../edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { maxEntityBytes, maxProperties, sizeOfEntity } from "../storage/limits.ts";
import { currentRow } from "./current-row.ts";
import { decodeRow, newEntity, readValue } from "./decode-entity.ts";
import { limitPassed } from "./encode-entity.ts";
import type { EncodedEntity, EntityCodec } from "./entity-codec.ts";
import { newImage } from "./row-layout.ts";
import { encodeProperty } from "./snapshot.ts";

/**
 * The codec of a class as loops over its properties: for runtimes that compile no text, and what the compiled one is held
 * to by tests.
 */
export const loopCodec = (model: EntityModel): EntityCodec => ({
  read: (row, isStrict) => read(model, row, isStrict),
  readTracked: (row, isStrict) => decodeRow(model, row, undefined, isStrict),
  write: (entity, key) => write(model, entity, key),
});

function read(model: EntityModel, asStored: StoredEntity, isStrict: boolean): object {
  const stored = currentRow(model, asStored);
  const entity = newEntity(model, stored);
  for (const property of model.properties)
    entity[property.name] = readValue(model, property, stored, isStrict);
  return entity;
}

function write(model: EntityModel, entity: object, key: EntityKey): EncodedEntity {
  const stored = newImage(model, key);
  const source = entity as Readonly<Record<string, unknown>>;
  const { properties } = model;
  const values: Kept[] = model.noValues.slice();
  let { bytes, count } = sizeOfEntity(stored);
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const value = source[property.name];
    if (value !== undefined && value !== null) {
      const encoded = encodeProperty(property, value, stored);
      values[i] = property.serializer.keep(encoded, value, stored[property.annotationName]);
      bytes += property.overheadBytes + property.serializer.sizeOf(encoded);
      count++;
    } else if (property.presence === "required") throw SerializationError.required(property.path);
  }
  if (count > maxProperties || bytes > maxEntityBytes) throw limitPassed(model, key, { bytes, count });
  return { stored, values, bytes };
}
