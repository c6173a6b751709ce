import { type DecimalClass, decimalSerializer } from "../../values/edm/decimal.ts";
import { instantSerializer } from "../../values/edm/instant.ts";
import { plainDateSerializer } from "../../values/edm/plain-date.ts";
import { type AnyPropertyType, comparedAs, type PropertyType } from "./property-type.ts";

/**
 * A decimal with at most `scale` digits after the point, 0 to 18: exact, ordered, stored as Edm.Int64 in units of
 * 10^-scale. With a scale of 2 it accepts -92233720368547758.08 to 92233720368547758.07.
 *
 * - By default it is text: `"12.5"`, `"-0.99"`, `"12"`. It is read with all digits of the scale, `"12.50"`. Assigning
 *   another text of the same value is not a change.
 * - With `as: "units"` it is a `bigint` of units, to calculate with: `1250n`.
 * - With `as: Big` it is an instance of your class. The class is constructed from text and prints it with `toString()`
 *   or `toFixed()`, with or without an exponent. It must preserve every digit.
 *
 * Conditions compare values, by `eq`, `ne`, `gt`, `ge`, `lt`, `le`, `between` and `in`, and take the same form as the
 * property. Numbers are refused (`edm.wrong-type`). Digits beyond the scale are refused instead of rounded
 * (`edm.malformed`), and so are values beyond Int64 (`edm.out-of-range`). Plain data has text in all three forms. A
 * decimal cannot be a key part.
 *
 * ```ts
 * class Product extends defineEntity({
 *   table: "Products",
 *   partitionKey: { shop: text() },
 *   rowKey: { sku: text() },
 *   properties: { price: decimal({ scale: 2 }), stock: decimal({ scale: 3, as: "units" }) },
 * }) {}
 * const lamp = new Product({ shop: "s", sku: "lamp", price: "12.50", stock: 1500n });
 * const dear = context.query(Product).where((p) => [p.shop.eq("s"), p.price.gt("9.99")]);
 * ```
 *
 * @throws ModelError `model.property-type` for another scale, and for a class that does not preserve decimals
 */
export function decimal(options: {
  readonly scale: number;
  readonly as?: undefined;
}): PropertyType<string, "required", "ordered">;
/** A decimal as a `bigint` of units: 12.50 is `1250n` with a scale of 2. */
export function decimal(options: {
  readonly scale: number;
  readonly as: "units";
}): PropertyType<bigint, "required", "ordered">;
/** A decimal as an instance of a class, such as `Big`, that is constructed from text and prints it again. */
export function decimal<Value extends object>(options: {
  readonly scale: number;
  readonly as: DecimalClass<Value>;
}): PropertyType<Value, "required", "ordered">;
export function decimal(options: { readonly scale: number; readonly as?: unknown }): AnyPropertyType {
  return comparedAs("ordered", decimalSerializer<never>(options)) as never;
}

/**
 * A day without a time, as text `yyyy-MM-dd`, stored as Edm.String: `"2026-11-25"`. It accepts every existing day of
 * the years 0001 to 9999.
 *
 * Conditions compare days, by `eq`, `ne`, `gt`, `ge`, `lt`, `le`, `between` and `in`. There is no `startsWith`: for a
 * month, use `between("2026-11-01", "2026-11-30")`. A `Date` is refused (`edm.wrong-type`), since its day depends on
 * the time zone. Other text is refused, too (`edm.malformed`).
 *
 * ```ts
 * class Person extends defineEntity({
 *   table: "People",
 *   partitionKey: { club: text() },
 *   rowKey: { id: text() },
 *   properties: { born: plainDate() },
 * }) {}
 * const ada = new Person({ club: "c", id: "ada", born: "1815-12-10" });
 * const older = context.query(Person).where((p) => [p.club.eq("c"), p.born.lt("1900-01-01")]);
 * ```
 */
export const plainDate = (): PropertyType<string, "required", "ordered"> =>
  comparedAs("ordered", plainDateSerializer);

/**
 * A moment as text with `Z` or an offset, exact to 100 ns, stored as Edm.DateTime: `"2026-11-25T10:00:00+01:00"`. It
 * accepts times from 1601 to 9999, to the minute, the second, or up to seven fractional digits. It is read in UTC with
 * seven digits: `"2026-11-25T09:00:00.0000000Z"`. Assigning another text of the same moment is not a change.
 *
 * Conditions compare moments, by `eq`, `ne`, `gt`, `ge`, `lt`, `le`, `between` and `in`. There is no `startsWith`. A
 * `Date` is refused (`edm.wrong-type`): write `date.toISOString()`. Text without an offset or with more than seven
 * digits is refused (`edm.malformed`), and so are times before 1601 (`edm.out-of-range`).
 *
 * ```ts
 * class Measurement extends defineEntity({
 *   table: "Measurements",
 *   partitionKey: { sensor: text() },
 *   rowKey: { id: text() },
 *   properties: { takenAt: instant() },
 * }) {}
 * const first = new Measurement({ sensor: "s", id: "1", takenAt: "2026-11-25T10:00:00.1234567+01:00" });
 * const later = context.query(Measurement).where((m) => [m.sensor.eq("s"), m.takenAt.gt("2026-11-25T09:00Z")]);
 * ```
 */
export const instant = (): PropertyType<string, "required", "ordered"> =>
  comparedAs("ordered", instantSerializer);
