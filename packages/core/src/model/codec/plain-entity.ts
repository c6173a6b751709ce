import { isAbsent } from "./is-absent.ts";
import { isDate } from "../../values/errors/built-ins.ts";
import { type PropertyPath, SerializationError } from "../../values/errors/serialization-error.ts";
import { dateTimeForms, parseDateTime } from "../../values/edm/date-time-text.ts";
import { parseInt64 } from "../../values/edm/int64.ts";
import { isSameData } from "../../values/edm/same-data.ts";
import type { StoredValue } from "../../values/edm/stored-entity.ts";
import { Ticks } from "../../values/edm/ticks.ts";
import { KeyError } from "../../values/errors/key-error.ts";
import type { KeyName } from "../../values/keys/key-rules.ts";
import type { KeyPart } from "../../values/keys/key-template.ts";
import type { EntityClass } from "../declaration/entity-definition.ts";
import { generateKey, newEntity } from "./fill-entity.ts";
import { buildObject, memberValues, unknownMember } from "../declaration/embedded-object.ts";
import {
  type EmbeddedModel,
  type EntityModel,
  findEmbedded,
  propertiesNamed,
  type PropertyModel,
} from "../declaration/entity-model.ts";
import { valueIn } from "./embedded-values.ts";
import { kindsBelow, modelOf, modelOfEntity } from "../declaration/model-registry.ts";
import type { JsonValue, PartialPlain, Plain, PlainEntity } from "../declaration/plain-types.ts";

/** Whether hidden properties are part of plain data. */
export interface PlainOptions {
  /**
   * Includes hidden properties, for copies of your own data; default false.
   *
   * ```ts
   * class User extends defineEntity({
   *   table: "Users",
   *   partitionKey: { tenant: text() },
   *   rowKey: { id: text() },
   *   properties: { passwordHash: text().hidden() },
   * }) {}
   * const user = new User({ tenant: "acme", id: "ann", passwordHash: "x" });
   * console.log(Object.keys(toPlain(user, { hidden: true }))); // → [ 'tenant', 'id', 'passwordHash' ]
   * ```
   */
  readonly hidden?: boolean | undefined;
}

/**
 * The properties of an entity as values that JSON has: Int64, bigint and decimals as text, dates as ISO 8601 text, bytes
 * as base64, NaN and infinities by their names, JSON properties unchanged, children as plain entities. `fromPlain` gives
 * an entity with the same values back. Properties without a value are left out, and so are hidden ones. For a class with
 * a kind, the kind is stored under the name of the table's kind property.
 *
 * ```ts
 * console.log(JSON.stringify(toPlain(order)));
 * ```
 *
 * @throws SerializationError or KeyError as a save does, for values that could not be stored
 */
export function toPlain<Entity extends object>(entity: Entity, options?: PlainOptions): Plain<Entity> {
  return printEntity(entity, options) as Plain<Entity>;
}

function printEntity(entity: object, options: PlainOptions = {}): PlainEntity {
  const model = modelOfEntity(entity);
  const values = entity as Readonly<Record<string, unknown>>;
  const plain: PlainEntity = {};
  if (model.kind !== undefined) plain[model.options.kindProperty] = model.kind.name;
  for (const { name, key, index } of model.keyProperties) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    const { format } = partOf(model, key, index);
    if (!takes(format, value)) throw invalidPart(model.name, name, format);
    plain[name] = plainKeyValue(value);
  }
  for (const property of model.properties) putPlain(property, values, plain, options);
  for (const { property } of model.children) {
    const children = values[property];
    if (Array.isArray(children))
      plain[property] = children.map((child) => printEntity(child as object, options));
  }
  for (const name of [model.etagProperty, model.timestampProperty]) {
    const value = name === undefined ? undefined : values[name];
    if (name !== undefined && value !== undefined) plain[name] = plainKeyValue(value);
  }
  return plain;
}

/** Puts the value of a property into plain data; that of a leaf, into the object that holds it. */
function putPlain(
  property: PropertyModel,
  values: Readonly<Record<string, unknown>>,
  into: PlainEntity,
  { hidden = false }: PlainOptions = {},
): void {
  const { name, place, isHidden } = property;
  const value = valueIn(property, values);
  if (isAbsent(property, value) || (isHidden && !hidden)) return;
  const printed = printProperty(property, value);
  if (place === undefined) into[name] = printed;
  else {
    const object = plainObjectIn(place.of, into);
    if (place.member !== undefined) object[place.member] = printed;
  }
}

/** The value of a stored property in plain data. @throws SerializationError if it could not be stored */
export const printProperty = (property: PropertyModel, value: unknown): JsonValue =>
  plainOf(property, property.serializer.encode(value, property.path));

const plainObjectIn = ({ parent, member }: EmbeddedModel, plain: PlainEntity): PlainEntity =>
  ((parent === undefined ? plain : plainObjectIn(parent, plain))[member] ??= {}) as PlainEntity;

const plainOf = ({ serializer }: PropertyModel, stored: StoredValue): JsonValue =>
  serializer.isJson === true
    ? (JSON.parse(stored as string) as JsonValue)
    : (serializer.plain?.print(stored) ?? stored);

/**
 * A new entity of the class from the result of `toPlain`, or from JSON of the same form; properties that the data
 * leaves out have their initial values. Nothing is tracked. Given the base of kinds, it makes the kind that the data
 * names.
 *
 * ```ts
 * const posted = fromPlain(Blog, { channel, postedOn: "2008-10-04T00:00:00Z", text: "Posted" });
 * console.log(posted.rating); // → 0
 * ```
 *
 * @throws SerializationError `plain.unknown-property` for a name that the class does not declare or that is hidden,
 *   `plain.invalid-value` for a value that does not fit its property, `plain.wrong-kind` for another kind than the
 *   class
 */
export function fromPlain<Entity extends object>(
  entityClass: EntityClass<Entity>,
  plain: NoInfer<PartialPlain<Entity>>,
  options?: PlainOptions,
): Entity {
  const entity = readEntity(entityClass, plain, options);
  generateKeys(entity);
  return entity as Entity;
}

/** An entity of plain data. Parts of its key that are generated may be missing: members of lists get their parent's. */
function readEntity(
  entityClass: EntityClass,
  plain: Readonly<Record<string, unknown>>,
  options?: PlainOptions,
): Record<string, unknown> {
  const asked = modelOf(entityClass);
  if (typeof plain !== "object" || plain === null || Array.isArray(plain))
    throw new SerializationError(
      "plain.not-an-object",
      `fromPlain(${asked.name}, plain) takes an object of its properties, as toPlain() makes it.`,
      { entity: asked.name },
    );
  const model = kindOf(asked, plain[asked.options.kindProperty]);
  const entity = newEntity(model, givenIn(model, plain), (name, value) =>
    readPlain(model, name, value, options),
  );
  return entity;
}

/** Generates absent parts of keys: an entity's own, then those of the members below it, which have its parts. */
function generateKeys(entity: Record<string, unknown>): void {
  const model = modelOfEntity(entity);
  generateKey(model, entity);
  for (const { property, isOwned } of model.children) {
    const members = entity[property];
    if (!Array.isArray(members)) continue;
    if (isOwned === true) fillKeys(model, entity, property, members as object[]);
    for (const member of members) generateKeys(member as Record<string, unknown>);
  }
}

/** The values of plain data. It says null where it has none, except in JSON properties. */
const givenIn = (
  { properties, options, kind }: EntityModel,
  plain: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(plain).filter(([name, value]) => {
      if (name === options.kindProperty && kind !== undefined) return false;
      return value !== null || properties.some((each) => each.name === name && !isAbsent(each, value));
    }),
  );

/** The kind that plain data names: the class itself, or one below it. @throws SerializationError `plain.wrong-kind` */
function kindOf(asked: EntityModel, kind: unknown): EntityModel {
  const below = kindsBelow(asked.entityClass);
  const found = typeof kind === "string" ? below.get(kind) : undefined;
  if (found !== undefined) return found;
  const isAsked = asked.kind === undefined ? below.size === 0 : (kind ?? asked.kind.name) === asked.kind.name;
  if (isAsked) return asked;
  throw new SerializationError(
    "plain.wrong-kind",
    `fromPlain(${asked.name}, plain) got data of another kind, or of none: ${asked.options.kindProperty} names it. Pass the class of that kind, or the base of all kinds.`,
    { entity: asked.name },
  );
}

/** Gives members the key parts of their parent. @throws SerializationError `plain.invalid-value` for other ones */
function fillKeys(
  model: EntityModel,
  entity: Readonly<Record<string, unknown>>,
  list: string,
  members: readonly object[],
): void {
  for (const [i, member] of members.entries())
    for (const { name } of model.keyProperties) {
      const values = member as Record<string, unknown>;
      values[name] ??= entity[name];
      if (!isSamePlain(model, name, values[name], entity[name]))
        throw invalidValue(
          { entity: model.name, property: `${list}[${i}].${name}` },
          `the value of its ${model.name}, or none,`,
        );
    }
}

/**
 * Whether two values of a name that the class declares are the same in plain data.
 *
 * @throws SerializationError for a value that could not be stored
 */
export const isSamePlain = (model: EntityModel, name: string, value: unknown, other: unknown): boolean =>
  isSameData(printPlain(model, name, value), printPlain(model, name, other));

/** A value of a name that the class declares, in plain data. @throws SerializationError if it could not be stored */
export function printPlain(model: EntityModel, name: string, value: unknown): unknown {
  const property = model.properties.find((each) => each.name === name);
  const isList = model.children.some((list) => list.property === name);
  if (Array.isArray(value) && isList) return value.map((child) => printEntity(child as object));
  if (findEmbedded(model, name) !== undefined) return plainMember(model, name, value);
  if (property === undefined) return plainKeyValue(value);
  return isAbsent(property, value) ? undefined : printProperty(property, value);
}

/** An embedded object as plain data. */
function plainMember(model: EntityModel, name: string, value: unknown): JsonValue | undefined {
  const plain: PlainEntity = {};
  for (const leaf of propertiesNamed(model, name)) putPlain(leaf, { [name]: value }, plain);
  return plain[name];
}

/**
 * An embedded object of plain data. Members without a value have that of `current`, if that is given.
 *
 * @throws SerializationError `plain.invalid-value`, `plain.unknown-property`
 */
export function readPlainObject(
  of: EmbeddedModel,
  plain: unknown,
  current?: unknown,
  options?: PlainOptions,
): object {
  if (typeof plain !== "object" || plain === null || Array.isArray(plain))
    throw invalidValue(of.path, "an object of its properties");
  const given = new Map(Object.entries(plain).filter(([, value]) => value !== undefined));
  const before = (current ?? {}) as Readonly<Record<string, unknown>>;
  const values = memberValues(
    of,
    (leaf, member) => {
      const value = given.has(member) ? readLeaf(leaf, given.get(member), options) : before[member];
      if (current !== undefined && leaf.presence === "required" && isAbsent(leaf, value))
        throw invalidValue(leaf.path, "a value");
      return value;
    },
    (part, member) => {
      if (!given.has(member)) return before[member];
      const value = given.get(member);
      const own = current === undefined ? undefined : (before[member] ?? {});
      return value === null ? undefined : readPlainObject(part, value, own, options);
    },
  );
  for (const name of given.keys()) if (!Object.hasOwn(values, name)) throw unknownMember(of, name);
  return buildObject(of, values);
}

/** Null clears a leaf, except in JSON. */
const readLeaf = (leaf: PropertyModel, value: unknown, options: PlainOptions | undefined): unknown =>
  value === null && leaf.serializer.isJson !== true && !leaf.isHidden
    ? undefined
    : readPlainProperty(leaf, value, options);

/** The value of a property in plain data. @throws SerializationError `plain.invalid-value`, `plain.unknown-property` */
export function readPlain(model: EntityModel, name: string, value: unknown, options?: PlainOptions): unknown {
  const of = findEmbedded(model, name);
  if (of !== undefined) return readPlainObject(of, value, undefined, options);
  const property = model.properties.find((each) => each.name === name && each.place === undefined);
  if (property !== undefined) return readPlainProperty(property, value, options);
  const key = model.keyProperties.find((each) => each.name === name);
  if (key !== undefined) return readPlainPart(model, partOf(model, key.key, key.index), value);
  const children = model.children.find((each) => each.property === name);
  if (children !== undefined && Array.isArray(value))
    return value.map((child) => readEntity(children.of(), child as Record<string, unknown>, options));
  if (name === model.etagProperty && typeof value === "string") return value;
  if (name === model.timestampProperty && typeof value === "string") {
    const time = dateIn(value);
    if (time === undefined) throw invalidValue({ entity: model.name, property: name }, dateTimeForms);
    return time;
  }
  throw new SerializationError(
    "plain.unknown-property",
    `${model.name} declares no property ${JSON.stringify(name.slice(0, 80))} that takes this value. Leave it out, or declare it.`,
    { entity: model.name, property: name.slice(0, 80) },
  );
}

/** A value of a stored property from plain data. @throws SerializationError `plain.invalid-value`, `plain.unknown-property` */
export function readPlainProperty(
  { serializer, path, isHidden }: PropertyModel,
  value: unknown,
  options: PlainOptions = {},
): unknown {
  if (isHidden && options.hidden !== true)
    throw new SerializationError(
      "plain.unknown-property",
      `${path.entity}.${path.property} is hidden from plain data. Leave it out, or pass { hidden: true } to toPlain() and fromPlain() for a copy of your own data.`,
      { ...path },
    );
  if (serializer.isJson === true) return copyOf(value, path);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  try {
    const stored = isPlain ? (serializer.plain ?? serializer).parse(value) : undefined;
    if (stored !== undefined)
      return serializer.decode(stored, serializer.isAnnotated(stored) ? serializer.edm : undefined, path);
  } catch (error) {
    // The original error is about stored values.
    if (!SerializationError.is(error)) throw error;
  }
  throw invalidValue(path, serializer.plainForm);
}

/** A copy of JSON data; data that is nested deeper than the stack allows, or is no JSON, is refused. */
function copyOf(value: unknown, path: PropertyPath): unknown {
  try {
    return structuredClone(value);
  } catch {
    throw invalidValue(path, "data that JSON has, not nested too deeply,");
  }
}

const invalidValue = ({ entity, property }: PropertyPath, form: string): SerializationError =>
  new SerializationError("plain.invalid-value", `${entity}.${property} takes ${form} in plain data.`, {
    entity,
    property,
  });

/**
 * A key format takes values of one type: of the possible readings of a JSON value, the first that the format accepts
 * is used.
 */
function readPlainPart(
  { name: entity }: EntityModel,
  { property, format }: KeyPart,
  value: unknown,
): unknown {
  const forms = typeof value === "string" ? readingsOf(value) : [value];
  const found = forms.find((form) => takes(format, form));
  if (found !== undefined) return found;
  const form = `${format.accepts}; a Date as ISO 8601 text and a bigint as text,`;
  throw invalidValue({ entity, property: property ?? "" }, form);
}

function takes(format: KeyPart["format"], value: unknown): boolean {
  try {
    return format.encode(value) !== undefined;
  } catch {
    return false;
  }
}

/** The possible meanings of a text: itself, an integer, a time. */
function readingsOf(text: string): unknown[] {
  const forms: unknown[] = [text];
  const integer = parseInt64(text);
  if (integer !== undefined) forms.push(integer);
  const parts = parseDateTime(text);
  // A key holds a Date to the millisecond: finer digits would be another key.
  if (parts !== undefined && parts.subMs === 0) forms.push(new Date(parts.ms));
  if (parts !== undefined) forms.push(Ticks.parse(text));
  return forms;
}

function dateIn(text: string): Date | undefined {
  const parts = parseDateTime(text);
  return parts && new Date(parts.ms);
}

const partOf = (model: EntityModel, key: KeyName, index: number): KeyPart =>
  (key === "PartitionKey" ? model.partitionKey : model.rowKey).parts[index] as KeyPart;

const invalidPart = (entity: string, property: string, { format, accepts }: KeyPart["format"]): KeyError =>
  new KeyError(
    "key.invalid-part",
    `${entity}.${property}, part of the key, does not fit ${format}, which takes ${accepts}.`,
    { entity, property, format },
  );

function plainKeyValue(value: unknown): JsonValue {
  if (isDate(value)) return value.toISOString();
  if (typeof value === "bigint" || Ticks.is(value)) return String(value);
  return value as JsonValue;
}
