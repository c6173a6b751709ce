import { isAbsent } from "./is-absent.ts";
import type { EntityKey, StoredEntityDraft } from "../../values/edm/stored-entity.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import { SerializationError } from "../../values/errors/serialization-error.ts";
import type { EntityModel } from "../declaration/entity-model.ts";
import { valueIn } from "./embedded-values.ts";
import { encodeProperty } from "./snapshot.ts";
import { type EntitySize, maxEntityBytes, maxProperties } from "../../storage/limits.ts";

/**
 * The snapshot values of an entity's current values; undefined for a property without a value. @throws
 * SerializationError naming class and property
 */
export function encodeLoaded(model: EntityModel, entity: object): SnapshotValue[] {
  const values = entity as Readonly<Record<string, unknown>>;
  const draft: StoredEntityDraft = { ...model.emptyImage };
  return model.properties.map((property) => {
    const value = valueIn(property, values);
    if (isAbsent(property, value)) return undefined;
    const encoded = encodeProperty(property, value, draft);
    return property.serializer.keep(encoded, value, draft[property.annotationName]) as SnapshotValue;
  });
}

/** The error for an entity that is too large for the service. */
export function limitPassed(
  model: EntityModel,
  key: EntityKey,
  { bytes, count }: EntitySize,
): SerializationError {
  return count > maxProperties
    ? SerializationError.entityLimit(
        "entity.too-many-properties",
        `${subjectOf(model, key)} would have ${count} properties; the service stores at most ${maxProperties}. Put some together as JSON.`,
        { entity: model.name, count, limit: maxProperties },
      )
    : SerializationError.entityLimit(
        "entity.too-large",
        `${subjectOf(model, key)} would take ${bytes} bytes; the service stores at most ${maxEntityBytes}. Split it over several entities.`,
        { entity: model.name, bytes, limit: maxEntityBytes },
      );
}

/** Class, table and key, for messages: `City in Places ("BR", "City_…")`. */
export function subjectOf(model: EntityModel, { partitionKey, rowKey }: EntityKey): string {
  return `${model.name} in ${model.table} (${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;
}
