import { type AnyKeyFormat, type KeyFormat, verbatim } from "@partita/core";
import { declareField } from "./declare.ts";
import type { FieldDecorator } from "./field-decorator.ts";

type PlainKey<Name extends string> = FieldDecorator<
  string,
  `@${Name}() without a format needs a property of type string`,
  "key part"
>;
type FormattedKey<Value> = FieldDecorator<
  Value,
  "this key format does not fit the property's type",
  "key part"
>;

/** A part of the PartitionKey; several parts join in the order they are declared. */
export function PartitionKey(): PlainKey<"PartitionKey">;
export function PartitionKey<Value>(format: KeyFormat<Value>): FormattedKey<Value>;
export function PartitionKey(format: AnyKeyFormat = verbatim): FieldDecorator<never, string, "key part"> {
  return (target, context) =>
    declareField(target, context, (property, { partitionKey }) => partitionKey.push({ property, format }));
}

/** A part of the RowKey; several parts join in the order they are declared. */
export function RowKey(): PlainKey<"RowKey">;
export function RowKey<Value>(format: KeyFormat<Value>): FormattedKey<Value>;
export function RowKey(format: AnyKeyFormat = verbatim): FieldDecorator<never, string, "key part"> {
  return (target, context) =>
    declareField(target, context, (property, { rowKey }) => rowKey.push({ property, format }));
}
