import { ModelError } from "@partita/core/models";
import { declareField } from "./declare.ts";
import type { Called, FieldDecorator } from "./field-decorator.ts";

/**
 * Receives the entity's version after reads and saves. Never sent.
 *
 * @example
 * ```ts
 * @Table("Counters")
 * class Counter {
 *   @PartitionKey() site!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @ETag() version?: string;
 * }
 * await createTables(storage, [Counter]);
 * const counter = context.create(Counter, { site: "N1", id: "visits" });
 * await context.saveChanges();
 * console.log(counter.version?.startsWith("W/")); // → true
 * ```
 */
export const ETag: Called<"ETag", () => FieldDecorator<string, "@ETag() needs a property of type string">> =
  (() => (target: unknown, context: unknown) =>
    declareField(target, context, (property, declarations) => {
      if (declarations.etagProperty !== undefined) throw onTwo("ETag", declarations.etagProperty, property);
      declarations.etagProperty = property;
    })) as never;

/**
 * Receives the time of the last write after reads. It is undefined after a save, because the response does
 * not contain it. Never sent.
 *
 * @example
 * ```ts
 * @Table("Settings")
 * class Setting {
 *   @PartitionKey() app!: Key<string>;
 *   @RowKey() name!: Key<string>;
 *   @Timestamp() storedAt?: Date;
 * }
 * ```
 */
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
 * A property that is not stored, such as a cache. If another property without a decorator has a value at
 * save, Partita warns you.
 *
 * @example
 * ```ts
 * @Table("Rectangles")
 * class Rectangle {
 *   @PartitionKey() drawing!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @NotStored() isSelected = false;
 * }
 * ```
 */
export const NotStored: Called<
  "NotStored",
  () => FieldDecorator<unknown, "@NotStored() belongs on a public field">
> = (() => (target: unknown, context: unknown) =>
  declareField(target, context, (property, { notStored }) => notStored.push(property))) as never;

const onTwo = (decorator: string, first: string, second: string): ModelError =>
  new ModelError(
    "model.property-twice",
    `@${decorator}() is on ${first} and on ${second}. Remove one of the two.`,
    { property: second },
  );
