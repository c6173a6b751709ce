import { createdAt, updatedAt } from "@partita/core/models";
import { type Called, type FieldDecorator, type FieldOptions, storing } from "./field-decorator.ts";

/**
 * The time of the save that inserts an entity; later saves leave it. `upsert(entity, "merge")` needs a value, since it
 * would overwrite the time of a row that is stored already.
 *
 * @example
 * ```ts
 * @Table("Customers")
 * class Customer {
 *   @PartitionKey() tenant!: Key<string>;
 *   @RowKey(ulid) id!: GeneratedKey<string>;
 *   @CreatedAt() createdAt!: Date;
 *   @UpdatedAt() updatedAt!: Date;
 * }
 * ```
 */
export const CreatedAt: Called<
  "CreatedAt",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<Date, "@CreatedAt() needs a property of type Date", Optional>
> = storing(() => createdAt());

/**
 * The time of the save that last wrote another value of an entity's row.
 *
 * @example
 * ```ts
 * @UpdatedAt() updatedAt!: Date;
 * ```
 */
export const UpdatedAt: Called<
  "UpdatedAt",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<Date, "@UpdatedAt() needs a property of type Date", Optional>
> = storing(() => updatedAt());
