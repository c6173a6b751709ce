import { convert, type Converter, enumOf, json } from "@partita/core";
import { type FieldDecorator, type FieldOptions, storedField } from "./field-decorator.ts";

/** A JSON value as text in an Edm.String property: `@Json<string[]>() tags: string[] = []`. */
export const Json = <Value = unknown>(
  options?: FieldOptions<Value>,
): FieldDecorator<Value, "@Json<T>() needs a property of type T"> => storedField(json<Value>(), options);

/** One of a fixed list of texts, in an Edm.String property: `@Enum(["open", "done"]) state!: "open" | "done"`. */
export const Enum = <const Values extends readonly string[]>(
  values: Values,
  options?: FieldOptions<Values[number]>,
): FieldDecorator<Values[number], "@Enum(values) needs a property of the union of the values"> =>
  storedField(enumOf(values), options);

/** A value with a converter to text and back, in an Edm.String property. */
export const Convert = <Value>(
  converter: Converter<Value>,
  options?: FieldOptions<Value>,
): FieldDecorator<Value, "@Convert(converter) needs a property of the converter's type"> =>
  storedField(convert(converter), options);
