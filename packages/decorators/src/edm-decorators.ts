import { binary, bool, dateTime, double, guid, int32, int64, text, type Ticks } from "@partita/core";
import { type FieldDecorator, type FieldOptions, storedField } from "./field-decorator.ts";

/** Edm.String: well-formed text of at most 32,768 UTF-16 units. */
export const Text = (
  options?: FieldOptions<string>,
): FieldDecorator<string, "@Text() needs a property of type string"> => storedField(text(), options);

/** Edm.Int32: an integer `number` from -2^31 to 2^31 - 1. */
export const Int32 = (
  options?: FieldOptions<number>,
): FieldDecorator<number, "@Int32() needs a property of type number"> => storedField(int32(), options);

/** Edm.Int64: a `bigint` from -2^63 to 2^63 - 1. */
export const Int64 = (
  options?: FieldOptions<bigint>,
): FieldDecorator<bigint, "@Int64() needs a property of type bigint"> => storedField(int64(), options);

/** Edm.Double: any `number`, NaN and infinities included. */
export const Double = (
  options?: FieldOptions<number>,
): FieldDecorator<number, "@Double() needs a property of type number"> => storedField(double(), options);

/** Edm.Boolean. */
export const Bool = (
  options?: FieldOptions<boolean>,
): FieldDecorator<boolean, "@Bool() needs a property of type boolean"> => storedField(bool(), options);

/** Edm.DateTime as a `Date`, 1601 to 9999; with `{ ticks: true }` as `Ticks`, exact to 100 ns. */
export function DateTime(
  options: FieldOptions<Ticks> & { readonly ticks: true },
): FieldDecorator<Ticks, "@DateTime({ ticks: true }) needs a property of type Ticks">;
export function DateTime(
  options?: FieldOptions<Date> & { readonly ticks?: false },
): FieldDecorator<Date, "@DateTime() needs a property of type Date">;
export function DateTime(
  options?: FieldOptions<Date | Ticks> & { readonly ticks?: boolean },
): FieldDecorator<never, string> {
  return storedField(options?.ticks === true ? dateTime({ ticks: true }) : dateTime(), options);
}

/** Edm.Guid: canonical lower-case text, such as `crypto.randomUUID()` gives. */
export const Guid = (
  options?: FieldOptions<string>,
): FieldDecorator<string, "@Guid() needs a property of type string"> => storedField(guid(), options);

/** Edm.Binary: a `Uint8Array` of at most 65,536 bytes. */
export const Binary = (
  options?: FieldOptions<Uint8Array>,
): FieldDecorator<Uint8Array, "@Binary() needs a property of type Uint8Array"> =>
  storedField(binary(), options);
