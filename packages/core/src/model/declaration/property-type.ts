import { checkFormatOptions } from "../../values/keys/check-format.ts";
import { guidKey } from "../../values/keys/guid-key.ts";
import type { GeneratingFormat, KeyFormat } from "../../values/keys/key-format.ts";
import { verbatim } from "../../values/keys/verbatim.ts";
import { binarySerializer } from "../../values/edm/binary.ts";
import { binaryInPlaceSerializer } from "../../values/edm/binary-in-place.ts";
import { booleanSerializer } from "../../values/edm/boolean.ts";
import { type Converter, convertSerializer, type StoredConverter } from "../../values/edm/convert.ts";
import { dateTimeSerializer } from "../../values/edm/date-time.ts";
import { doubleSerializer } from "../../values/edm/double.ts";
import { enumSerializer } from "../../values/edm/enum.ts";
import { guidSerializer } from "../../values/edm/guid.ts";
import { int32Serializer } from "../../values/edm/int32.ts";
import { int64Serializer } from "../../values/edm/int64.ts";
import { jsonSerializer } from "../../values/edm/json.ts";
import type { Serializer } from "../../values/edm/serializer.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import type { Jsonable } from "./jsonable.ts";
import type { EdmType } from "../../values/edm/stored-entity.ts";
import { stringSerializer } from "../../values/edm/string.ts";
import { type Ticks, ticksSerializer } from "../../values/edm/ticks.ts";

/**
 * Whether a property must have a value when it is saved, may be absent, has a default value when absent, or is filled
 * in new entities. A filled property is required in stored rows.
 */
export type Presence = "required" | "optional" | "default" | "filled";

/**
 * The comparisons that queries support: all of the values' own type; order and equality without `startsWith`; equality
 * only; none; or, for an embedded object, those of its leaves.
 */
export type Compared = "values" | "ordered" | "equality" | "none" | "embedded";

/** The form of a property in plain data: the form of its value's type, a number or its name, or none. */
export type PlainForm = "value" | "double" | "hidden";

declare const taken: unique symbol;

/** The type of a property's values and their stored form. Immutable: each method returns another type. */
export interface PropertyType<
  Value,
  P extends Presence = "required",
  C extends Compared = "values",
  F extends PlainForm = "value",
> {
  readonly serializer: Serializer<Value>;
  readonly presence: P;
  /**
   * The comparisons that queries support: none for JSON, equality for converted values, no `startsWith` for decimals.
   */
  readonly compared: C;
  /** The value of the property if a row does not have it. */
  readonly defaultValue?: Value;
  /** Makes the value of a new entity that has none; never called for rows that are read. */
  readonly fill?: (() => Value) | undefined;
  /** Makes the value that a save writes; undefined if only the program sets it. */
  readonly saveFill?: SaveFill<Value> | undefined;
  /** The name in storage; the name of the property when absent. */
  readonly storedName?: string;
  /** Other EDM types that stored values may have. */
  readonly otherTypes: readonly EdmType[];
  /** The key format for this type as a key part; types without one need a key format there. */
  readonly keyFormat?: KeyFormat<string>;
  /** `hidden` if plain data leaves the property out. */
  readonly plain?: F;
  /** Never set; it distinguishes a type of certain texts, which no key accepts, from a type of any text. */
  readonly [taken]?: (value: Value) => void;
  /** How an embedded object is declared. */
  readonly embedded?: EmbeddedDeclaration;

  /**
   * With a value: rows without a value are read with it, and new entities start with it. With a function: it is called
   * once for each new entity that was given no value, in the order of declaration, and never for rows that are read. An
   * entity becomes new in `new` (classes of `defineEntity`), and at the latest in `create`, `add`, `upsert`, `createIn`
   * and `fromPlain`.
   *
   * @example
   * ```ts
   * const properties = {
   *   rating: int32().default(3),
   *   token: text().default(() => crypto.randomUUID()),
   * };
   * ```
   */
  default<Given extends Value | (() => Value)>(
    value: Given,
  ): PropertyType<Value, Given extends () => unknown ? Filled<P> : "default", C, F>;
  /**
   * Lets a save make the value, after `saving` hooks and before validation: once for each entity that it writes, and
   * only if another value of the row is written or `update(entity)` requested it. A value that the program assigned in
   * the same change is not replaced. The property is never in `conflicts`.
   *
   * @example
   * ```ts
   * const properties = { editedAt: dateTime().onSave((clock) => new Date(clock.now())) };
   * ```
   *
   * @param make - makes the value; its clock has the same time for all entities of a save
   * @param options - `when`: each `write` (default), or only the `insert` of a new entity
   */
  onSave(
    make: (clock: SaveClock) => Value,
    options?: { readonly when?: "insert" | "write" },
  ): PropertyType<Value, Filled<P>, C, F>;
  /**
   * The property may be undefined.
   *
   * ```ts
   * const properties = { name: text(), nickname: text().optional() };
   * ```
   */
  optional(): PropertyType<Value, "optional", C, F>;
  /**
   * Leaves the property out of plain data, in both directions: `toPlain` does not show it, and `fromPlain`, `assign` and
   * input schemas refuse it. `{ hidden: true }` of `toPlain` and `fromPlain` includes it, for copies of your own data.
   *
   * @example
   * ```ts
   * const properties = { name: text(), passwordHash: text().hidden() };
   * ```
   */
  hidden(): PropertyType<Value, P, C, "hidden">;
  /**
   * Stores the property under another name.
   *
   * ```ts
   * const properties = { quantity: int32().named("Qty") };
   * ```
   */
  named<const Name extends string>(
    storedName: Name extends "PartitionKey" | "RowKey" | "Timestamp"
      ? ModelError<`${Name} is stored by the key or the service: take another stored name`>
      : Name,
  ): PropertyType<Value, P, C, F> & { readonly storedName: Name };
  /**
   * Also reads values that are stored as these EDM types, for example by older programs and other clients. An edited
   * value is written as the declared type. Conditions on the property are evaluated on the client, row by row.
   *
   * ```ts
   * const properties = { quantity: int64().alsoReads("Edm.Int32") };
   * ```
   */
  alsoReads(...types: EdmType[]): PropertyType<Value, P, C, F>;
}

/** The type of whole numbers and Booleans. Its own name keeps the compiler's messages short enough to read. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the name is all that it adds
export interface SimpleType<Value> extends PropertyType<Value> {}

/** The time of a save, in milliseconds since 1970. It is the same for all entities of the save. */
export interface SaveClock {
  now(): number;
}

/** How a save fills a property. */
export interface SaveFill<Value> {
  readonly make: (clock: SaveClock) => Value;
  readonly when: "insert" | "write";
}

/** A property that may be absent in rows stays optional: only new entities are filled. */
type Filled<P extends Presence> = P extends "optional" ? P : "filled";

/** How an object inside an entity is declared: its class, and the properties of it that are stored. */
export interface EmbeddedDeclaration {
  /** Requested on first use, like the leaves: decorated classes may refer to each other. */
  // oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
  readonly class: () => new (...args: any[]) => object;
  readonly leaves: () => readonly { readonly name: string; readonly type: AnyPropertyType }[];
  readonly create: ((values: never) => object) | undefined;
  /** Members that are deliberately not stored. */
  readonly notStored?: (() => readonly string[]) | undefined;
}

/** A property type with any value type, for use in models. */
// oxlint-disable-next-line typescript/no-explicit-any -- the value type was checked where the property was declared
export type AnyPropertyType = PropertyType<any, Presence, Compared, PlainForm>;

type TypeState<Value, P extends Presence, C extends Compared, F extends PlainForm> = Pick<
  PropertyType<Value, P, C, F>,
  | "serializer"
  | "presence"
  | "compared"
  | "defaultValue"
  | "fill"
  | "saveFill"
  | "storedName"
  | "otherTypes"
  | "keyFormat"
  | "plain"
>;

function propertyType<Value, P extends Presence, C extends Compared, F extends PlainForm>(
  state: TypeState<Value, P, C, F>,
): PropertyType<Value, P, C, F> {
  return {
    ...state,
    default: (value) =>
      propertyType(
        typeof value === "function"
          ? { ...state, presence: filled(state.presence), fill: value as () => Value }
          : { ...state, presence: "default", defaultValue: value as Value, fill: undefined },
      ) as never,
    onSave: (make, { when = "write" } = {}) =>
      propertyType({ ...state, presence: filled(state.presence), saveFill: { make, when } }) as never,
    optional: () => propertyType({ ...state, presence: "optional" }),
    hidden: () => propertyType({ ...state, plain: "hidden" }),
    named: <const Name extends string>(storedName: unknown) =>
      propertyType({ ...state, storedName: storedName as string }) as PropertyType<Value, P, C, F> & {
        readonly storedName: Name;
      },
    alsoReads: (...otherTypes) => propertyType({ ...state, otherTypes }),
  };
}

const filled = (presence: Presence): Presence => (presence === "optional" ? presence : "filled");

/** Creates the property type for the values of a serializer. */
export const storedAs = <Value>(
  serializer: Serializer<Value>,
  keyFormat?: KeyFormat<string>,
): PropertyType<Value> => comparedAs("values", serializer, keyFormat);

/** The same, if queries support fewer comparisons than the values' own type. */
export const comparedAs = <Value, C extends Compared>(
  compared: C,
  serializer: Serializer<Value>,
  keyFormat?: KeyFormat<string>,
): PropertyType<Value, "required", C> =>
  propertyType({
    serializer,
    presence: "required",
    compared,
    otherTypes: [],
    ...(keyFormat && { keyFormat }),
  });

/** A property type that refuses the arguments of other libraries, such as `text(100)`. */
function bare<Type>(name: string, make: () => Type): () => Type {
  const checked = (...given: readonly unknown[]): Type => {
    if (given.length === 0) return make();
    throw new ModelError(
      "model.property-type",
      `${name}() takes no arguments. Add settings with methods, such as ${name}().optional(), and check values with a schema or a validator.`,
    );
  };
  // The name is part of the error for a type that is not called.
  return Object.defineProperty(checked, "name", { value: name });
}

/**
 * Edm.String: well-formed text of at most 32,768 UTF-16 units.
 *
 * ```ts
 * const properties = { title: text(), note: text().optional() };
 * ```
 */
export const text: () => PropertyType<string> = bare("text", () => storedAs(stringSerializer, verbatim));

/**
 * Edm.Int32: an integer `number` from -2^31 to 2^31 - 1.
 *
 * ```ts
 * const properties = { rating: int32().default(3) };
 * ```
 */
export const int32: () => SimpleType<number> = bare("int32", () => storedAs(int32Serializer));

/**
 * Edm.Int64: a `bigint` from -2^63 to 2^63 - 1.
 *
 * ```ts
 * const properties = { balance: int64().default(0n) };
 * ```
 */
export const int64: () => SimpleType<bigint> = bare("int64", () => storedAs(int64Serializer));

/**
 * Edm.Double: any `number`, including NaN and the infinities.
 *
 * ```ts
 * const properties = { weight: double() };
 * ```
 */
export const double: () => PropertyType<number, "required", "values", "double"> = bare(
  "double",
  () => storedAs(doubleSerializer) as never,
);

/**
 * Edm.Boolean.
 *
 * ```ts
 * const properties = { isOpen: bool().default(true) };
 * ```
 */
export const bool: () => SimpleType<boolean> = bare("bool", () => storedAs(booleanSerializer));

/**
 * Edm.DateTime as a `Date`, 1601 to 9999; with `{ ticks: true }` as {@link Ticks}, exact to 100 ns.
 *
 * ```ts
 * const properties = { joined: dateTime(), measured: dateTime({ ticks: true }) };
 * ```
 */
export const dateTime = <Exact extends boolean = false>(options?: {
  readonly ticks?: Exact;
}): PropertyType<Exact extends true ? Ticks : Date> => {
  checkFormatOptions("dateTime(options)", options ?? {}, ["ticks"]);
  return (options?.ticks === true ? storedAs(ticksSerializer) : storedAs(dateTimeSerializer)) as never;
};

/**
 * The time of the save that inserts an entity; later saves do not change it. `upsert(entity, "merge")` requires a
 * value, since it would otherwise overwrite the time of an existing row.
 *
 * @example
 * ```ts
 * const properties = { name: text(), createdAt: createdAt(), updatedAt: updatedAt() };
 * ```
 */
export const createdAt = (): PropertyType<Date, "filled"> =>
  dateTime().onSave(timeOfSave, { when: "insert" });

/**
 * The time of the last save that changed another value of the entity's row.
 *
 * @example
 * ```ts
 * const properties = { name: text(), createdAt: createdAt(), updatedAt: updatedAt() };
 * ```
 */
export const updatedAt = (): PropertyType<Date, "filled"> => dateTime().onSave(timeOfSave);

const timeOfSave = (clock: SaveClock): Date => new Date(clock.now());

/** The property type `guid()`, and the key format `guid`. */
export interface GuidType extends GeneratingFormat<string> {
  (): GuidPropertyType;
}

/** The type of `guid()`: as a key part, it generates the values of new entities that have none. */
export interface GuidPropertyType extends PropertyType<string> {
  readonly keyFormat: GeneratingFormat<string>;
}

/**
 * `guid()` is Edm.Guid: canonical lower-case text, such as `crypto.randomUUID()` returns. In a key, `guid` and `guid()`
 * both store this text of 36 characters.
 *
 * ```ts
 * class Device extends defineEntity({
 *   table: "Devices",
 *   partitionKey: { site: text() },
 *   rowKey: { id: guid },
 *   properties: { model: guid().optional() },
 * }) {}
 * console.log(context.create(Device, { site: "Oslo" }).id.length); // → 36
 * ```
 */
export const guid: GuidType = Object.assign(
  bare("guid", () => storedAs(guidSerializer, guidKey) as GuidPropertyType),
  guidKey,
);

/**
 * Edm.Binary: a `Uint8Array` of at most 65,536 bytes, in its own memory.
 *
 * With `{ inPlace: true }`, values of 4 KiB or more are not copied. Use it for bytes that you only pass on:
 *
 * - An array that was read may be a view of the memory that its row was read into. Its `buffer` may be larger than the
 *   value and shared with other values. If you transfer it, those lose their bytes too.
 * - An array that is saved with a new entity is sent without a copy. Its bytes must not change while the entity is
 *   tracked: assign another array instead. If they did change and the context needs the stored value, it throws
 *   `edm.changed-in-place`.
 *
 * ```ts
 * const properties = { thumbnail: binary(), payload: binary({ inPlace: true }).optional() };
 * ```
 */
export const binary = (options?: { readonly inPlace?: boolean }): PropertyType<Uint8Array> => {
  checkFormatOptions("binary(options)", options ?? {}, ["inPlace"]);
  return storedAs(options?.inPlace === true ? binaryInPlaceSerializer : binarySerializer);
};

/**
 * A JSON value, stored as text in an Edm.String property. `null` is a value, stored as the text `null`; undefined means
 * that there is no value. TypeScript refuses value types that JSON does not preserve: dates, bigints, and classes with
 * methods.
 *
 * ```ts
 * const properties = { tags: json<string[]>().default(() => []) };
 * ```
 */
export const json: <Value extends Jsonable<Value>>() => PropertyType<Value, "required", "none"> = bare(
  "json",
  () => comparedAs("none", jsonSerializer) as never,
);

/**
 * One of a fixed list of texts, stored in an Edm.String property.
 *
 * ```ts
 * const properties = { state: enumOf(["open", "closed"]).default("open") };
 * ```
 */
export const enumOf = <const Values extends readonly string[]>(
  values: Values,
): PropertyType<Values[number]> => storedAs(enumSerializer(values));

/** A converter to and from the values of another property type. */
export interface TypedConverter<Value, Stored, C extends Compared> extends StoredConverter<Value, Stored> {
  /** The type of its stored values: `int32()`, `dateTime()` and the like, without `.optional()` or `.default(…)`. */
  readonly type: PropertyType<Stored, "required", C>;
}

/** The comparisons that queries support for a converted value: those of its stored type, but only equality for text. */
export type ComparedAs<Stored, C extends Compared> = C extends "ordered" | "none"
  ? C
  : [Stored] extends [number | bigint | Date | Ticks]
    ? "ordered"
    : "equality";

/**
 * A value with a converter to and from text, stored in an Edm.String property. Queries compare it for equality only.
 *
 * @throws ModelError `model.property-type` for a converter without both functions
 */
export function convert<Value>(
  // The second part appears in the compiler's message if it is missing.
  converter: Converter<Value> & { fromText(text: string): Value },
): PropertyType<Value, "required", "equality">;
/**
 * A value with a converter to and from the values of another type, such as a numeric enum in an Edm.Int32 property.
 * Queries compare the stored values, in the order of their type. Numbers and times are ordered, so their converter must
 * preserve order.
 *
 * ```ts
 * enum Level {
 *   Low = 1,
 *   High = 2,
 * }
 * const level = convert({ type: int32(), toStored: (l: Level) => l, fromStored: (n): Level => n });
 * ```
 */
export function convert<Value, Stored, C extends Compared>(
  converter: TypedConverter<Value, Stored, C>,
): PropertyType<Value, "required", ComparedAs<Stored, C>>;
export function convert(
  // oxlint-disable-next-line typescript/no-explicit-any -- any value type
  converter: Converter<any> | TypedConverter<any, any, Compared>,
): AnyPropertyType {
  const { type } = (converter ?? {}) as Partial<TypedConverter<unknown, unknown, Compared>>;
  const serializer = convertSerializer<unknown>(converter, type?.serializer);
  return comparedAs(serializer.comparison as Compared, serializer) as AnyPropertyType;
}
