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

/**
 * Edm.String: well-formed text of at most 32,768 UTF-16 units.
 *
 * @example
 * ```ts
 * @Table("Contacts")
 * class Contact {
 *   @PartitionKey() owner!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Text() name!: string;
 *   @Text({ optional: true }) phone?: string;
 * }
 * ```
 */
export const Text: Called<
  "Text",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, string>,
  ) => FieldDecorator<string, "@Text() needs a property of type string", Optional>
> = storing(() => text());

/**
 * Edm.Int32: an integer `number` from -2^31 to 2^31 - 1.
 *
 * @example
 * ```ts
 * @Table("Articles")
 * class Stock {
 *   @PartitionKey() shop!: Key<string>;
 *   @RowKey() sku!: Key<string>;
 *   @Int32() count = 0;
 * }
 * ```
 */
export const Int32: Called<
  "Int32",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, number>,
  ) => FieldDecorator<number, "@Int32() needs a property of type number", Optional>
> = storing(() => int32());

/**
 * Edm.Int64: a `bigint` from -2^63 to 2^63 - 1.
 *
 * @example
 * ```ts
 * @Table("Meters")
 * class Meter {
 *   @PartitionKey() site!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Int64() totalBytes = 0n;
 * }
 * ```
 */
export const Int64: Called<
  "Int64",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, bigint>,
  ) => FieldDecorator<bigint, "@Int64() needs a property of type bigint", Optional>
> = storing(() => int64());

/**
 * Edm.Double: any `number`, including NaN and the infinities.
 *
 * @example
 * ```ts
 * @Table("Readings")
 * class Reading {
 *   @PartitionKey() sensor!: Key<string>;
 *   @RowKey(newestFirst) takenAt!: Key<Date>;
 *   @Double() celsius!: number;
 * }
 * ```
 */
export const Double: Called<
  "Double",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, number>,
  ) => FieldDecorator<number, "@Double() needs a property of type number", Optional>
> = storing(() => double());

/**
 * Edm.Boolean.
 *
 * @example
 * ```ts
 * @Table("Switches")
 * class Switch {
 *   @PartitionKey() room!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Bool() isOn = false;
 * }
 * ```
 */
export const Bool: Called<
  "Bool",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, boolean>,
  ) => FieldDecorator<boolean, "@Bool() needs a property of type boolean", Optional>
> = storing(() => bool());

export function DateTime(target: unknown, context: FieldContext): Bare<"DateTime">;
/**
 * Edm.DateTime as a `Date`, 1601 to 9999. With `{ ticks: true }` the value is a `Ticks`, exact to 100 ns.
 *
 * @example
 * ```ts
 * @Table("Meetings")
 * class Meeting {
 *   @PartitionKey() room!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @DateTime() start!: Date;
 *   @DateTime({ ticks: true }) recorded!: Ticks;
 * }
 * ```
 */
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

/**
 * Edm.Guid: canonical lower-case text, the form that `crypto.randomUUID()` returns.
 *
 * @example
 * ```ts
 * @Table("Devices")
 * class Device {
 *   @PartitionKey() site!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Guid({ default: () => crypto.randomUUID() }) serial!: string;
 * }
 * const device = context.create(Device, { site: "N1", id: "7" });
 * console.log(device.serial.length); // → 36
 * ```
 */
export const Guid: Called<
  "Guid",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, string>,
  ) => FieldDecorator<string, "@Guid() needs a property of type string", Optional>
> = storing(() => guid());

/**
 * Edm.Binary: a `Uint8Array` of at most 65,536 bytes. For `{ inPlace: true }`, see `binary`.
 *
 * @example
 * ```ts
 * @Table("Thumbnails")
 * class Thumbnail {
 *   @PartitionKey() album!: Key<string>;
 *   @RowKey() file!: Key<string>;
 *   @Binary() jpeg!: Uint8Array;
 * }
 * ```
 */
export const Binary: Called<
  "Binary",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, Uint8Array> & { readonly inPlace?: boolean },
  ) => FieldDecorator<Uint8Array, "@Binary() needs a property of type Uint8Array", Optional>
> = storing((options: { readonly inPlace?: boolean } = {}) => binary({ inPlace: options.inPlace === true }));
