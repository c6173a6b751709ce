import { ModelError } from "@partita/core/models";
import { declareField } from "./declare.ts";
import type { FieldDecorator } from "./field-decorator.ts";

/** Receives the entity's version after reads and saves; never sent. */
export const ETag =
  (): FieldDecorator<string, "@ETag() needs a property of type string"> => (target, context) =>
    declareField(target, context, (property, declarations) => {
      declarations.etagProperty = property;
    });

/** Receives the time of the last write after reads; undefined after a save, whose answer does not contain it; never sent. */
export const Timestamp =
  (): FieldDecorator<Date, "@Timestamp() needs a property of type Date"> => (target, context) =>
    declareField(target, context, (property, declarations) => {
      declarations.timestampProperty = property;
    });

/**
 * A property that is not stored, such as a cache. Any other property without a decorator is warned of when it has a
 * value at save.
 */
export const NotStored =
  (): FieldDecorator<unknown, "@NotStored() goes on a public field"> => (target, context) =>
    declareField(target, context, (property, declarations) => {
      if (declarations.properties.has(property)) throw storedAndNot(property);
      declarations.notStored.push(property);
    });

/** The error for a field with `@NotStored()` and the decorator of a type. */
export const storedAndNot = (property: string): ModelError =>
  new ModelError(
    "model.property-twice",
    `${property} has @NotStored() and a decorator that stores it. Keep the one that is meant.`,
    { property },
  );
