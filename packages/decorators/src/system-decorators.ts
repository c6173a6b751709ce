import { ModelError } from "@partita/core/models";
import { declareField } from "./declare.ts";
import type { Called, FieldDecorator } from "./field-decorator.ts";

/** Receives the entity's version after reads and saves; never sent. */
export const ETag: Called<"ETag", () => FieldDecorator<string, "@ETag() needs a property of type string">> =
  (() => (target: unknown, context: unknown) =>
    declareField(target, context, (property, declarations) => {
      if (declarations.etagProperty !== undefined) throw onTwo("ETag", declarations.etagProperty, property);
      declarations.etagProperty = property;
    })) as never;

/** Receives the time of the last write after reads; undefined after a save, whose answer does not contain it; never sent. */
export const Timestamp: Called<
  "Timestamp",
  () => FieldDecorator<Date, "@Timestamp() needs a property of type Date">
> = (() => (target: unknown, context: unknown) =>
  declareField(target, context, (property, declarations) => {
    if (declarations.timestampProperty !== undefined)
      throw onTwo("Timestamp", declarations.timestampProperty, property);
    declarations.timestampProperty = property;
  })) as never;

/**
 * A property that is not stored, such as a cache. Any other property without a decorator is warned of when it has a
 * value at save.
 */
export const NotStored: Called<
  "NotStored",
  () => FieldDecorator<unknown, "@NotStored() goes on a public field">
> = (() => (target: unknown, context: unknown) =>
  declareField(target, context, (property, { notStored }) => notStored.push(property))) as never;

const onTwo = (decorator: string, first: string, second: string): ModelError =>
  new ModelError(
    "model.property-twice",
    `@${decorator}() is on ${first} and on ${second}. Keep the one that is meant.`,
    { property: second },
  );
