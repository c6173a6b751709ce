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
 * A decimal with at most `scale` digits behind the point, 0 to 18, stored as Edm.Int64 in units of 10^-scale:
 * `@Decimal({ scale: 2 }) price!: string`. Values and errors are those of `decimal`. TypeScript offers `startsWith` for it, since
 * the property is text; a query refuses it (`query.not-comparable`).
 */
export function Decimal<Optional extends boolean = false>(
  options: FieldOptions<Optional> & { readonly scale: number; readonly as?: undefined },
): FieldDecorator<string, "@Decimal({ scale }) needs a property of type string", Optional>;
/** A decimal as a `bigint` of units: `@Decimal({ scale: 2, as: "units" }) price!: bigint`. */
export function Decimal<Optional extends boolean = false>(
  options: FieldOptions<Optional> & { readonly scale: number; readonly as: "units" },
): FieldDecorator<bigint, '@Decimal({ as: "units" }) needs a property of type bigint', Optional>;
/**
 * A decimal as an instance of a class: `@Decimal({ scale: 2, as: Big }) price!: Big`. TypeScript does not know that it is
 * ordered, so that conditions on it compile with the two other forms only.
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
 * A day without a time, as text `yyyy-MM-dd`, stored as Edm.String: `@PlainDate() born!: string`. It takes the days of the years
 * 0001 to 9999 that exist. TypeScript offers `startsWith` for it, since the property is text; a query refuses it
 * (`query.not-comparable`).
 */
export const PlainDate: Called<
  "PlainDate",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<string, "@PlainDate() needs a property of type string", Optional>
> = storing(() => plainDate());

/**
 * A moment as text with `Z` or an offset, exact to 100 ns, stored as Edm.DateTime and read in UTC: `@Instant() takenAt!: string`.
 * Values and errors are those of `instant`. TypeScript offers `startsWith` for it, since the property is text; a query
 * refuses it (`query.not-comparable`).
 */
export const Instant: Called<
  "Instant",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<string, "@Instant() needs a property of type string", Optional>
> = storing(() => instant());
