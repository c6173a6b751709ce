import {
  type AnyKeyFormat,
  type KeyFormat,
  ModelError,
  type PropertyType,
  verbatim,
} from "@partita/core/models";
import { refuseBare } from "./check-arguments.ts";
import { declareField, type FieldSite } from "./declare.ts";
import { designType } from "./design-type.ts";
import type { Bare, FieldContext, FieldDecorator } from "./field-decorator.ts";

type PlainKey<Name extends string> = FieldDecorator<
  string,
  `@${Name}() without a format needs a property of type string; for a Date write @${Name}(newestFirst), for a number @${Name}(padded(10))`,
  "key part"
>;
type FormattedKey<Value> = FieldDecorator<
  Value,
  "this key format does not fit the property's type",
  "key part"
>;

export function PartitionKey(target: unknown, context: FieldContext): Bare<"PartitionKey">;
/**
 * A part of the PartitionKey. Several parts are joined in the order of their declaration.
 *
 * @example
 * ```ts
 * @Table("Visits")
 * class Visit {
 *   @PartitionKey() country!: Key<string>;
 *   @PartitionKey(padded(4)) shop!: Key<number>;
 *   @RowKey() id!: Key<string>;
 * }
 * const visit = context.create(Visit, { country: "NO", shop: 12, id: "a" });
 * console.log(context.entry(visit).key?.partitionKey); // → NO_0012
 * ```
 */
export function PartitionKey(): PlainKey<"PartitionKey">;
/** A part of the PartitionKey with its own format: `@PartitionKey(padded(6)) shop!: number`. */
export function PartitionKey<Value>(format: KeyFormat<Value>): FormattedKey<Value>;
/** A text or GUID part, given by its type: `@PartitionKey(guid())`. */
export function PartitionKey(type: PropertyType<string>): FormattedKey<string>;
export function PartitionKey(part?: unknown): never {
  refuseBare("PartitionKey", part);
  return ((target: unknown, context: unknown) =>
    declareField(target, context, (property, { partitionKey }, site) =>
      partitionKey.push({
        property,
        format: partFormat(part) ?? textFormat("PartitionKey", "", property, site),
      }),
    )) as never;
}

export function RowKey(target: unknown, context: FieldContext): Bare<"RowKey">;
/**
 * A part of the RowKey. Several parts are joined in the order of their declaration.
 *
 * @example
 * ```ts
 * @Table("Posts")
 * class Post {
 *   @PartitionKey() blog!: Key<string>;
 *   @RowKey(newestFirst) postedOn!: Key<Date>;
 *   @RowKey() slug!: Key<string>;
 * }
 * ```
 */
export function RowKey(): PlainKey<"RowKey">;
/** A part of the RowKey with its own format: `@RowKey(newestFirst) postedOn!: Date`. */
export function RowKey<Value>(format: KeyFormat<Value>): FormattedKey<Value>;
/** A text or GUID part, given by its type: `@RowKey(guid())`. */
export function RowKey(type: PropertyType<string>): FormattedKey<string>;
export function RowKey(part?: unknown): never {
  refuseBare("RowKey", part);
  return ((target: unknown, context: unknown) =>
    declareField(target, context, (property, { rowKey }, site) =>
      rowKey.push({ property, format: partFormat(part) ?? textFormat("RowKey", "", property, site) }),
    )) as never;
}

/** The model finds the format of a property type, and reports the class if there is none. */
const partFormat = (part: unknown): AnyKeyFormat | undefined => part as AnyKeyFormat | undefined;

/**
 * The default format of a part: plain text.
 *
 * @param before - the arguments before the format
 * @throws ModelError `model.key-format` if the compiler recorded a type other than text
 */
export function textFormat(
  decorator: string,
  before: string,
  property: string,
  { target }: FieldSite,
): AnyKeyFormat {
  const designed = designType(property, target);
  const remedy = remedies.get(designed);
  if (remedy === undefined) return verbatim;
  const entity = target?.constructor.name ?? "";
  throw new ModelError(
    "model.key-format",
    `@${decorator}(${before}) on ${entity}.${property}, which is a ${(designed as { name: string }).name}, needs a key format. ${remedy.replaceAll("@Key(", `@${decorator}(${before === "" ? "" : `${before}, `}`)}`,
    { entity, property },
  );
}

const remedies: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [
    Date,
    "Write @Key(newestFirst) or @Key(oldestFirst). For a part of the date, write @Key(day), month, week or hour.",
  ],
  [Number, "Write @Key(padded(10)), or padded(10, { signed: true }) if it may be negative."],
  [BigInt, "Write @Key(padded64(19)), or padded64(19, { signed: true }) if it may be negative."],
]);
