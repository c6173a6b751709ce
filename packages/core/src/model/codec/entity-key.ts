import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { KeyError } from "../../values/errors/key-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import type { AnyDerivedFormat } from "../../values/keys/derived-format.ts";
import type { KeyName } from "../../values/keys/key-rules.ts";
import { composeKey, splitKey } from "../../values/keys/key-template.ts";
import type { EntityModel } from "../declaration/entity-model.ts";
import { type NonEntity, reservedForOf } from "./row-layout.ts";

/**
 * The key of an entity, from its own properties.
 *
 * @throws KeyError naming class and property
 */
export function keyOfEntity(model: EntityModel, values: object): EntityKey {
  const record = values as Readonly<Record<string, unknown>>;
  const partitionKey = composeKey(model.partitionKey, record, model.name);
  const rowKey = composeKey(model.rowKey, record, model.name);
  const key = { partitionKey, rowKey };
  const reservedFor = reservedForOf(model, key);
  if (reservedFor !== undefined) throw reservedKey(model, reservedFor);
  return key;
}

function reservedKey({ name, reservedPrefixes }: EntityModel, reservedFor: NonEntity): KeyError {
  const why = {
    marker: `with "~w~", which tables with proof: "marker" reserve for the markers of their transactions. Use another prefix.`,
    message: `with "~o~", which tables with outbox: true reserve for the messages that are sent with their changes. Use another prefix.`,
    index: `with a prefix that one of its indexes reserves (${reservedPrefixes.map((prefix) => JSON.stringify(prefix)).join(", ")}). Use another prefix, or start the index's rows with another constant(…).`,
    reservation: `with "~u~", which classes with values that are unique over the table reserve for the reservations of these values. Use another prefix.`,
  };
  const key = reservedFor === "reservation" ? "PartitionKey" : "RowKey";
  return new KeyError("key.reserved", `The ${key} of ${name} begins ${why[reservedFor]}`, {
    entity: name,
    key,
  });
}

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

/**
 * Refuses a value that is no key: parts are named, since a key may have several of them.
 *
 * @throws KeyError `key.not-an-object`, showing the key that is needed
 */
export function checkKeyValues(call: string, model: EntityModel, key: unknown): void {
  if (typeof key === "object" && key !== null && !Array.isArray(key)) return;
  throw notAnObject(
    model,
    `${call} takes the key of ${model.name} as an object, but got ${describeType(key)}`,
  );
}

/** Refuses a value that is no list of keys. @throws KeyError `key.not-an-object` */
export function checkKeyList(call: string, model: EntityModel, keys: unknown): void {
  if (!Array.isArray(keys))
    throw notAnObject(model, `${call} takes a list of keys, but got ${describeType(keys)}`);
  for (const key of keys) checkKeyValues(call, model, key);
}

/** Refuses a value that has no values for a new entity. @throws KeyError `key.not-an-object` */
export function checkValues(model: EntityModel, values: unknown): void {
  if (typeof values === "object" && values !== null && !Array.isArray(values)) return;
  throw notAnObject(
    model,
    `create(Class, values) takes the values of the new ${model.name} as an object, but got ${describeType(values)}`,
  );
}

function notAnObject({ name, partitionKey, rowKey }: EntityModel, problem: string): KeyError {
  const parts = [partitionKey, rowKey].flatMap((template) => template.parts);
  const names = parts.flatMap(({ property, format }) =>
    property === undefined || format.literal !== undefined ? [] : [property],
  );
  return new KeyError(
    "key.not-an-object",
    `${problem}. Its key is { ${[...new Set(names)].map((each) => `${each}: …`).join(", ")} }.`,
    { entity: name, parts: names },
  );
}
