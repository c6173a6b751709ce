import {
  type Compared,
  convert,
  type Converter,
  enumOf,
  json,
  type Jsonable,
  type TypedConverter,
} from "@partita/core/models";
import {
  type Bare,
  type Exactly,
  type FieldContext,
  type FieldDecorator,
  type FieldOptions,
  storedField,
  type UncheckedField,
} from "./field-decorator.ts";

type JsonField<Value, Optional extends boolean> = FieldDecorator<
  Value,
  "@Json<T>() needs a property of type T",
  Optional
>;
type ConvertedField<Value, Optional extends boolean> = FieldDecorator<
  Exclude<Value, null>,
  "@Convert(converter) needs a property of the converter's type",
  Optional
>;

export function Json(target: unknown, context: FieldContext): Bare<"Json">;
/** A JSON value as text in an Edm.String property: `@Json<string[]>() tags: string[] = []`. */
export function Json<Value extends Jsonable<Value> = unknown>(
  options?: FieldOptions<false, Value>,
): JsonField<Value, false>;
/** A JSON value that may be absent: `@Json<string[]>({ optional: true }) tags?: string[]`. */
export function Json<Value extends Jsonable<Value> = unknown>(
  options: FieldOptions<true, Value> & { readonly optional: true },
): JsonField<Value, true>;
export function Json(options?: unknown): never {
  return storedField(json<unknown>(), options as FieldOptions<boolean, unknown>) as never;
}

/** One of a fixed list of texts, in an Edm.String property: `@Enum(["open", "done"]) state!: "open" | "done"`. */
export const Enum = <const Values extends readonly string[], Optional extends boolean = false>(
  values: Values,
  options?: FieldOptions<Optional, Values[number]>,
): FieldDecorator<
  Exactly<Values[number]>,
  "@Enum(values) needs a property of exactly the union of the values",
  Optional
> => storedField(enumOf(values), options);

/** A value with a converter to text and back, in an Edm.String property. */
export function Convert<Value>(
  converter: Converter<Value>,
  options: FieldOptions<true, Value> & { readonly optional: true },
): ConvertedField<Value, true>;
/** A value with a converter to text and back, in an Edm.String property. */
export function Convert<Value>(
  converter: Converter<Value>,
  options?: FieldOptions<false, Value>,
): ConvertedField<Value, false>;
/** A value with a converter to a value of another type and back: `@Convert({ type: int32(), toStored, fromStored })`. */
export function Convert<Value, Stored, C extends Compared, Optional extends boolean = false>(
  converter: TypedConverter<Value, Stored, C>,
  options?: FieldOptions<Optional, Value>,
): ConvertedField<Value, Optional>;
export function Convert(
  // oxlint-disable-next-line typescript/no-explicit-any -- any value type
  converter: Converter<any> | TypedConverter<any, any, Compared>,
  options?: FieldOptions<boolean, unknown>,
): UncheckedField {
  return storedField(convert(converter as Converter<unknown>), options);
}
