import type { EntityKey, StoredEntityDraft } from "../edm/stored-entity.ts";
import type { Kept } from "../edm/serializer.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import type { AnyDerivedFormat } from "../keys/derived-format.ts";
import type { KeyName } from "../keys/key-rules.ts";
import { composeKey, splitKey } from "../keys/key-template.ts";
import type { EntityModel } from "../model/entity-model.ts";
import { KeyError } from "../errors/key-error.ts";
import { isIndexKey } from "./index-layout.ts";
import { isMarkerKey, isOutboxKey } from "./commit-rows.ts";
import { encodeProperty } from "./snapshot.ts";
import { type EntitySize, maxEntityBytes, maxProperties } from "../storage/limits.ts";

/**
 * The key of an entity, from its own properties.
 *
 * @throws KeyError naming class and property
 */
export function keyOfEntity(model: EntityModel, values: object): EntityKey {
  const record = values as Readonly<Record<string, unknown>>;
  const partitionKey = composeKey(model.partitionKey, record, model.name);
  const rowKey = composeKey(model.rowKey, record, model.name);
  if (isMarkerKey(model, rowKey)) throw reservedKey(model);
  if (isOutboxKey(model, rowKey)) throw keyOfOutbox(model);
  if (isIndexKey(model, rowKey)) throw keyOfIndex(model);
  return { partitionKey, rowKey };
}

const reservedKey = ({ name }: EntityModel): KeyError =>
  new KeyError(
    "key.reserved",
    `The RowKey of ${name} begins with "~w~", which tables with proof: "marker" keep for the markers of their transactions. Begin it otherwise.`,
    { entity: name, key: "RowKey" },
  );

const keyOfOutbox = ({ name }: EntityModel): KeyError =>
  new KeyError(
    "key.reserved",
    `The RowKey of ${name} begins with "~o~", which tables with outbox: true keep for the messages that are sent with their changes. Begin it otherwise.`,
    { entity: name, key: "RowKey" },
  );

const keyOfIndex = ({ name, reservedPrefixes }: EntityModel): KeyError =>
  new KeyError(
    "key.reserved",
    `The RowKey of ${name} begins as those of one of its indexes do (${reservedPrefixes.map((prefix) => JSON.stringify(prefix)).join(", ")}). Begin it otherwise, or begin the index's rows with another constant(…).`,
    { entity: name, key: "RowKey" },
  );

/**
 * Every key a row of these values may have, the one that is written first: several where a rule of slices is on the
 * move.
 */
export function keysOfEntity(model: EntityModel, values: object): readonly EntityKey[] {
  let keys: readonly EntityKey[] = [keyOfEntity(model, values)];
  for (const { key: name, index, part } of model.derivedParts) {
    const value = (values as Readonly<Record<string, unknown>>)[part.property as string];
    const texts = (part.format as AnyDerivedFormat).textsOf(value);
    if (texts.length > 1)
      keys = keys.flatMap((key) => texts.map((text) => withPart(model, key, name, index, text)));
  }
  // A kind that was renamed has its former name in the keys of its old rows.
  const at = model.rowKey.parts.findIndex(({ format }) => (format.literals?.length ?? 0) > 1);
  const names = model.rowKey.parts[at]?.format.literals ?? [];
  return names.length === 0
    ? keys
    : keys.flatMap((key) => names.map((name) => withPart(model, key, "RowKey", at, name)));
}

/** The key with another text for one part. */
function withPart(model: EntityModel, key: EntityKey, name: KeyName, index: number, text: string): EntityKey {
  const isRow = name === "RowKey";
  const template = isRow ? model.rowKey : model.partitionKey;
  const parts = splitKey(template, isRow ? key.rowKey : key.partitionKey) ?? [];
  const changed = parts.with(index, text).join(template.separator);
  return isRow ? { ...key, rowKey: changed } : { ...key, partitionKey: changed };
}

/** The snapshot values of an entity as it is; undefined where it has none. @throws SerializationError naming class and property */
export function encodeLoaded(model: EntityModel, entity: object): Kept[] {
  const values = entity as Readonly<Record<string, unknown>>;
  const draft: StoredEntityDraft = { ...model.emptyImage };
  return model.properties.map((property) => {
    const value = values[property.name];
    if (value === undefined || value === null) return undefined;
    const encoded = encodeProperty(property, value, draft);
    return property.serializer.keep(encoded, value, draft[property.annotationName]) as Kept;
  });
}

/** The error for an entity that the service does not store as a whole. */
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
