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
/**
 * A JSON value, stored as text in an Edm.String property.
 *
 * @example
 * ```ts
 * @Table("Articles")
 * class Article {
 *   @PartitionKey() author!: Key<string>;
 *   @RowKey() slug!: Key<string>;
 *   @Json<string[]>() tags: string[] = [];
 * }
 * const article = context.create(Article, { author: "ann", slug: "hello", tags: ["azure", "tables"] });
 * console.log(article.tags.length); // → 2
 * ```
 */
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

/**
 * One string of a fixed list, stored as Edm.String.
 *
 * @example
 * ```ts
 * @Table("Tasks")
 * class Task {
 *   @PartitionKey() project!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Enum(["open", "done"]) state: "open" | "done" = "open";
 * }
 * const task = context.create(Task, { project: "site", id: "1" });
 * console.log(task.state); // → open
 * ```
 */
export const Enum = <const Values extends readonly string[], Optional extends boolean = false>(
  values: Values,
  options?: FieldOptions<Optional, Values[number]>,
): FieldDecorator<
  Exactly<Values[number]>,
  "@Enum(values) needs a property of exactly the union of the values",
  Optional
> => storedField(enumOf(values), options);

/**
 * A value with a converter to text and back, stored as Edm.String.
 *
 * @example
 * ```ts
 * @Table("Links")
 * class Link {
 *   @PartitionKey() user!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Convert({ toText: (url: URL) => url.href, fromText: (text) => new URL(text) }) target!: URL;
 * }
 * ```
 */
export function Convert<Value>(
  converter: Converter<Value>,
  options: FieldOptions<true, Value> & { readonly optional: true },
): ConvertedField<Value, true>;
/** A value with a converter to text and back, stored as Edm.String. */
export function Convert<Value>(
  converter: Converter<Value>,
  options?: FieldOptions<false, Value>,
): ConvertedField<Value, false>;
/** A value with a converter to another type and back: `@Convert({ type: int32(), toStored, fromStored })`. */
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
