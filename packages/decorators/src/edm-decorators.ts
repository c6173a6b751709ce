import { binary, bool, dateTime, double, guid, int32, int64, text, type Ticks } from "@partita/core/models";
import {
  type Bare,
  type Called,
  type FieldContext,
  type FieldDecorator,
  type FieldOptions,
  storedField,
  storing,
} from "./field-decorator.ts";

/** Edm.String: well-formed text of at most 32,768 UTF-16 units. */
export const Text: Called<
  "Text",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, string>,
  ) => FieldDecorator<string, "@Text() needs a property of type string", Optional>
> = storing(() => text());

/** Edm.Int32: an integer `number` from -2^31 to 2^31 - 1. */
export const Int32: Called<
  "Int32",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, number>,
  ) => FieldDecorator<number, "@Int32() needs a property of type number", Optional>
> = storing(() => int32());

/** Edm.Int64: a `bigint` from -2^63 to 2^63 - 1. */
export const Int64: Called<
  "Int64",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, bigint>,
  ) => FieldDecorator<bigint, "@Int64() needs a property of type bigint", Optional>
> = storing(() => int64());

/** Edm.Double: any `number`, NaN and infinities included. */
export const Double: Called<
  "Double",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, number>,
  ) => FieldDecorator<number, "@Double() needs a property of type number", Optional>
> = storing(() => double());

/** Edm.Boolean. */
export const Bool: Called<
  "Bool",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, boolean>,
  ) => FieldDecorator<boolean, "@Bool() needs a property of type boolean", Optional>
> = storing(() => bool());

export function DateTime(target: unknown, context: FieldContext): Bare<"DateTime">;
/** Edm.DateTime as a `Date`, 1601 to 9999; with `{ ticks: true }` as `Ticks`, exact to 100 ns. */
export function DateTime<Optional extends boolean = false>(
  options: FieldOptions<Optional, Ticks> & { readonly ticks: true },
): FieldDecorator<Ticks, "@DateTime({ ticks: true }) needs a property of type Ticks", Optional>;
/** Edm.DateTime as a `Date`, 1601 to 9999, exact to 1 ms. */
export function DateTime<Optional extends boolean = false>(
  options?: FieldOptions<Optional, Date> & { readonly ticks?: false },
): FieldDecorator<Date, "@DateTime() needs a property of type Date", Optional>;
export function DateTime(options?: unknown): never {
  const { ticks } = (options ?? {}) as { readonly ticks?: boolean };
  const type = ticks === true ? dateTime({ ticks: true }) : dateTime();
  return storedField(type, options as FieldOptions<boolean, unknown>) as never;
}

/** Edm.Guid: canonical lower-case text, such as `crypto.randomUUID()` gives. */
export const Guid: Called<
  "Guid",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, string>,
  ) => FieldDecorator<string, "@Guid() needs a property of type string", Optional>
> = storing(() => guid());

/** Edm.Binary: a `Uint8Array` of at most 65,536 bytes; with `{ inPlace: true }`, where it was read, as `binary` describes it. */
export const Binary: Called<
  "Binary",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, Uint8Array> & { readonly inPlace?: boolean },
  ) => FieldDecorator<Uint8Array, "@Binary() needs a property of type Uint8Array", Optional>
> = storing((options) => binary(options));
