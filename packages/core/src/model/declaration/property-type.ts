import { guidKey } from "../../values/keys/guid-key.ts";
import type { KeyFormat } from "../../values/keys/key-format.ts";
import { verbatim } from "../../values/keys/verbatim.ts";
import { binarySerializer } from "../../values/edm/binary.ts";
import { binaryInPlaceSerializer } from "../../values/edm/binary-in-place.ts";
import { booleanSerializer } from "../../values/edm/boolean.ts";
import { type Converter, convertSerializer } from "../../values/edm/convert.ts";
import { dateTimeSerializer } from "../../values/edm/date-time.ts";
import { doubleSerializer } from "../../values/edm/double.ts";
import { enumSerializer } from "../../values/edm/enum.ts";
import { guidSerializer } from "../../values/edm/guid.ts";
import { int32Serializer } from "../../values/edm/int32.ts";
import { int64Serializer } from "../../values/edm/int64.ts";
import { jsonSerializer } from "../../values/edm/json.ts";
import type { Serializer } from "../../values/edm/serializer.ts";
import type { EdmType } from "../../values/edm/stored-entity.ts";
import { stringSerializer } from "../../values/edm/string.ts";
import { type Ticks, ticksSerializer } from "../../values/edm/ticks.ts";

/** Whether a property must have a value at save, may be absent, or reads as a default when absent. */
export type Presence = "required" | "optional" | "default";

/** What a property holds and how it is stored. Immutable: each method returns another type. */
export interface PropertyType<Value, P extends Presence = "required", IsJson extends boolean = false> {
  readonly serializer: Serializer<Value>;
  readonly presence: P;
  /** Whether it is stored as JSON text, which queries cannot compare. */
  readonly isJson: IsJson;
  /** What an absent value reads as. */
  readonly defaultValue?: Value;
  /** The name in the service; the property's own when absent. */
  readonly storedName?: string;
  /** Other EDM types that stored values may have. */
  readonly otherTypes: readonly EdmType[];
  /** What it means as a part of a key; other types need a key format there. */
  readonly keyFormat?: KeyFormat<string>;

  /** Absent values read as `value`, and new entities begin with it. */
  default(value: Value): PropertyType<Value, "default", IsJson>;
  /** The property may be undefined. */
  optional(): PropertyType<Value, "optional", IsJson>;
  /** Stores the property under another name. */
  named<const Name extends string>(
    storedName: Name,
  ): PropertyType<Value, P, IsJson> & { readonly storedName: Name };
  /**
   * Also reads values that are stored as these EDM types, as rows of older programs and other clients have them. An edited value
   * is written as the declared type. Conditions on the property are decided here, row by row.
   */
  alsoReads(...types: EdmType[]): PropertyType<Value, P, IsJson>;
}

/** A property type whose value is not known, as models hold it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the value type was checked where the property was declared
export type AnyPropertyType = PropertyType<any, Presence, boolean>;

type TypeState<Value, P extends Presence, IsJson extends boolean> = Pick<
  PropertyType<Value, P, IsJson>,
  "serializer" | "presence" | "isJson" | "defaultValue" | "storedName" | "otherTypes" | "keyFormat"
>;

function propertyType<Value, P extends Presence, IsJson extends boolean>(
  state: TypeState<Value, P, IsJson>,
): PropertyType<Value, P, IsJson> {
  return {
    ...state,
    default: (defaultValue) => propertyType({ ...state, presence: "default", defaultValue }),
    optional: () => propertyType({ ...state, presence: "optional" }),
    named: <const Name extends string>(storedName: Name) =>
      propertyType({ ...state, storedName }) as PropertyType<Value, P, IsJson> & {
        readonly storedName: Name;
      },
    alsoReads: (...otherTypes) => propertyType({ ...state, otherTypes }),
  };
}

/** The property type of a serializer's values. */
export const storedAs = <Value>(
  serializer: Serializer<Value>,
  keyFormat?: KeyFormat<string>,
): PropertyType<Value> =>
  propertyType({
    serializer,
    presence: "required",
    isJson: false,
    otherTypes: [],
    ...(keyFormat && { keyFormat }),
  });

/** Edm.String: well-formed text of at most 32,768 UTF-16 units. */
export const text = (): PropertyType<string> => storedAs(stringSerializer, verbatim);

/** Edm.Int32: an integer `number` from -2^31 to 2^31 - 1. */
export const int32 = (): PropertyType<number> => storedAs(int32Serializer);

/** Edm.Int64: a `bigint` from -2^63 to 2^63 - 1. */
export const int64 = (): PropertyType<bigint> => storedAs(int64Serializer);

/** Edm.Double: any `number`, NaN and infinities included. */
export const double = (): PropertyType<number> => storedAs(doubleSerializer);

/** Edm.Boolean. */
export const bool = (): PropertyType<boolean> => storedAs(booleanSerializer);

/** Edm.DateTime as a `Date`, 1601 to 9999; with `{ ticks: true }` as {@link Ticks}, exact to 100 ns. */
export function dateTime(options: { readonly ticks: true }): PropertyType<Ticks>;
/** Edm.DateTime as a `Date`, 1601 to 9999, exact to 1 ms. */
export function dateTime(options?: { readonly ticks?: false }): PropertyType<Date>;
export function dateTime(options?: { readonly ticks?: boolean }): PropertyType<Date> | PropertyType<Ticks> {
  return options?.ticks === true ? storedAs(ticksSerializer) : storedAs(dateTimeSerializer);
}

/** The property type `guid()`, and the key format `guid`. */
export interface GuidType extends KeyFormat<string> {
  (): PropertyType<string>;
}

/**
 * `guid()` is Edm.Guid: canonical lower-case text, such as `crypto.randomUUID()` gives. In a key, `guid` or `guid()` is
 * the same text in 36 characters.
 */
export const guid: GuidType = Object.assign(() => storedAs(guidSerializer, guidKey), guidKey);

/**
 * Edm.Binary: a `Uint8Array` of at most 65,536 bytes, in memory of its own. With `{ inPlace: true }`, values of 4 KiB or more are
 * not copied: for bytes that are passed on. One that was read may be a part of the memory that its row was read into: its
 * `buffer` then has more than it has, and other values may be parts of it, so that to transfer it takes them away. One that is
 * saved with a new entity is sent from where it is, and stays there: its bytes must not change as long as the entity is tracked.
 * Assign another array instead; `edm.changed-in-place` is thrown where the context does not know any more what is stored.
 */
export const binary = (options?: { readonly inPlace?: boolean }): PropertyType<Uint8Array> =>
  storedAs(options?.inPlace === true ? binaryInPlaceSerializer : binarySerializer);

/** A JSON value as text in an Edm.String property. */
export const json = <Value>(): PropertyType<Value, "required", true> =>
  propertyType({
    serializer: jsonSerializer as Serializer<Value>,
    presence: "required",
    isJson: true,
    otherTypes: [],
  });

/** One of a fixed list of texts, in an Edm.String property. */
export const enumOf = <const Values extends readonly string[]>(
  values: Values,
): PropertyType<Values[number]> => storedAs(enumSerializer(values));

/** A value with a converter to text and back, in an Edm.String property. */
export const convert = <Value>(converter: Converter<Value>): PropertyType<Value> =>
  storedAs(convertSerializer(converter));
