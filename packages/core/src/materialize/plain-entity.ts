import { KeyError } from "../errors/key-error.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { Ticks } from "../edm/ticks.ts";
import type { KeyPart } from "../keys/key-template.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { modelOf, modelOfEntity } from "../model/model-registry.ts";

/** A value that `JSON.stringify` writes and `JSON.parse` reads back as it was. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** An entity as JSON data, by the names of its class. */
export type PlainEntity = { [property: string]: JsonValue };

/**
 * The properties of an entity as values that JSON has: Int64 and bigint as text, dates as ISO 8601 text, bytes as
 * base64, NaN and infinities by their names, JSON properties as they are, children as plain entities. `fromPlain` gives
 * an equal entity back. Properties without a value are left out.
 *
 * @throws SerializationError or KeyError as a save does, for values that could not be stored
 */
export function toPlain(entity: object): PlainEntity {
  const model = modelOfEntity(entity);
  const values = entity as Readonly<Record<string, unknown>>;
  const plain: PlainEntity = {};
  for (const { name } of model.keyProperties) {
    const value = values[name];
    if (value !== undefined && value !== null) plain[name] = plainKeyValue(value);
  }
  for (const property of model.properties) {
    const value = values[property.name];
    if (value === undefined || value === null) continue;
    const stored = property.serializer.encode(value, property.path);
    plain[property.name] =
      property.serializer.isJson === true ? (JSON.parse(stored as string) as JsonValue) : stored;
  }
  for (const { property } of model.children) {
    const children = values[property];
    if (Array.isArray(children)) plain[property] = children.map((child) => toPlain(child as object));
  }
  for (const name of [model.etagProperty, model.timestampProperty]) {
    const value = name === undefined ? undefined : values[name];
    if (name !== undefined && value !== undefined) plain[name] = plainKeyValue(value);
  }
  return plain;
}

/**
 * A new entity of the class from what `toPlain` made, or from JSON of the same form. Nothing is tracked.
 *
 * @throws SerializationError `plain.unknown-property` for a name that the class does not declare; others, or KeyError
 *   `key.invalid-part`, for values that do not fit
 */
export function fromPlain<Entity extends object>(
  entityClass: EntityClass<Entity>,
  plain: Readonly<Record<string, unknown>>,
): Entity {
  const model = modelOf(entityClass);
  if (typeof plain !== "object" || plain === null || Array.isArray(plain))
    throw new SerializationError(
      "plain.not-an-object",
      `fromPlain(${model.name}, plain) takes an object of its properties, as toPlain() makes it.`,
      { entity: model.name },
    );
  const entity = model.create() as Record<string, unknown>;
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined || value === null) continue;
    entity[name] = readPlain(model, name, value);
  }
  return entity as Entity;
}

function readPlain(model: EntityModel, name: string, value: unknown): unknown {
  const property = model.properties.find((each) => each.name === name);
  if (property !== undefined) return readPlainProperty(property, value);
  const key = model.keyProperties.find((each) => each.name === name);
  if (key !== undefined) {
    const template = key.key === "PartitionKey" ? model.partitionKey : model.rowKey;
    return readPlainPart(model, template.parts[key.index] as KeyPart, value);
  }
  const children = model.children.find((each) => each.property === name);
  if (children !== undefined && Array.isArray(value))
    return value.map((child) => fromPlain(children.of(), child as Record<string, unknown>));
  if (name === model.etagProperty && typeof value === "string") return value;
  if (name === model.timestampProperty && typeof value === "string") return new Date(value);
  throw new SerializationError(
    "plain.unknown-property",
    `${model.name} declares no property ${JSON.stringify(name.slice(0, 80))} that takes this value. Leave it out, or declare it.`,
    { entity: model.name, property: name.slice(0, 80) },
  );
}

function readPlainProperty({ serializer, path }: PropertyModel, value: unknown): unknown {
  if (serializer.isJson === true) return structuredClone(value);
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw SerializationError.wrongType(path, `the JSON form of ${serializer.name}`, value);
  return serializer.decode(value, serializer.isAnnotated(value) ? serializer.edm : undefined, path);
}

/** A key format takes values of one type: what JSON has of it is the first form that the format takes. */
function readPlainPart(
  { name: entity }: EntityModel,
  { property, format }: KeyPart,
  value: unknown,
): unknown {
  const forms = typeof value === "string" ? formsOf(value) : [value];
  const found = forms.find((form) => takes(format, form));
  if (found !== undefined) return found;
  throw new KeyError(
    "key.invalid-part",
    `${entity}.${property}, part of the key, does not fit ${format.format}, which takes ${format.accepts}.`,
    { entity, property, format: format.format },
  );
}

function takes(format: KeyPart["format"], value: unknown): boolean {
  try {
    return format.encode(value) !== undefined;
  } catch {
    return false;
  }
}

/** What text may stand for: itself, an integer, a time. */
function formsOf(text: string): unknown[] {
  const forms: unknown[] = [text];
  if (/^-?\d{1,20}$/.test(text)) forms.push(BigInt(text));
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    forms.push(new Date(text));
    try {
      forms.push(Ticks.parse(text));
    } catch {
      // A date that has no ticks either.
    }
  }
  return forms;
}

function plainKeyValue(value: unknown): JsonValue {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint" || value instanceof Ticks) return String(value);
  return value as JsonValue;
}
