import { decimal, type DecimalClass, instant, plainDate } from "@partita/core/models";
import {
  type Called,
  type FieldDecorator,
  type FieldOptions,
  storedField,
  storing,
  type UncheckedField,
} from "./field-decorator.ts";

/**
 * A decimal number with at most `scale` digits after the point (0 to 18), as text. It is stored as Edm.Int64
 * in units of 10^-scale. Values and errors are those of `decimal`. Since the property is text, TypeScript
 * offers `startsWith` for it, but a query refuses that (`query.not-comparable`).
 *
 * @example
 * ```ts
 * @Table("Products")
 * class Product {
 *   @PartitionKey() shop!: Key<string>;
 *   @RowKey() sku!: Key<string>;
 *   @Decimal({ scale: 2 }) price!: string;
 * }
 * context.create(Product, { shop: "Oslo", sku: "A1", price: "19.90" });
 * ```
 */
export function Decimal<Optional extends boolean = false>(
  options: FieldOptions<Optional> & { readonly scale: number; readonly as?: undefined },
): FieldDecorator<string, "@Decimal({ scale }) needs a property of type string", Optional>;
/** A decimal number as a `bigint` of units: `@Decimal({ scale: 2, as: "units" }) price!: bigint`. */
export function Decimal<Optional extends boolean = false>(
  options: FieldOptions<Optional> & { readonly scale: number; readonly as: "units" },
): FieldDecorator<bigint, '@Decimal({ as: "units" }) needs a property of type bigint', Optional>;
/**
 * A decimal number as an instance of a class: `@Decimal({ scale: 2, as: Big }) price!: Big`. TypeScript does
 * not know that the class is ordered, so range conditions compile only with the other two forms.
 */
export function Decimal<Value extends object, Optional extends boolean = false>(
  options: FieldOptions<Optional> & { readonly scale: number; readonly as: DecimalClass<Value> },
): FieldDecorator<Value, "@Decimal({ as: Class }) needs a property of that class", Optional>;
export function Decimal(
  options: FieldOptions & { readonly scale: number; readonly as?: unknown },
): UncheckedField {
  const { scale, as } = (options ?? {}) as Partial<typeof options>;
  return storedField(decimal({ scale: scale as number, as: as as undefined }), options);
}

/**
 * A day without a time, as text `yyyy-MM-dd`, stored as Edm.String. It accepts the existing days of the years
 * 0001 to 9999. Since the property is text, TypeScript offers `startsWith` for it, but a query refuses that
 * (`query.not-comparable`).
 *
 * @example
 * ```ts
 * @Table("People")
 * class Person {
 *   @PartitionKey() country!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @PlainDate() born!: string;
 * }
 * context.create(Person, { country: "NO", id: "7", born: "1990-12-31" });
 * ```
 */
export const PlainDate: Called<
  "PlainDate",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<string, "@PlainDate() needs a property of type string", Optional>
> = storing(() => plainDate());

/**
 * A point in time as text with `Z` or an offset, exact to 100 ns, stored as Edm.DateTime and read in UTC.
 * Values and errors are those of `instant`. Since the property is text, TypeScript offers `startsWith` for
 * it, but a query refuses that (`query.not-comparable`).
 *
 * @example
 * ```ts
 * @Table("Photos")
 * class Shot {
 *   @PartitionKey() album!: Key<string>;
 *   @RowKey() file!: Key<string>;
 *   @Instant() takenAt!: string;
 * }
 * context.create(Shot, { album: "fjord", file: "1.jpg", takenAt: "2024-05-17T10:00:00+02:00" });
 * ```
 */
export const Instant: Called<
  "Instant",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<string, "@Instant() needs a property of type string", Optional>
> = storing(() => instant());
