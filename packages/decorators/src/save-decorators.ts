import { createdAt, updatedAt } from "@partita/core/models";
import { type Called, type FieldDecorator, type FieldOptions, storing } from "./field-decorator.ts";

/**
 * The time of the save that inserts an entity. Later saves don't change it. `upsert(entity, "merge")`
 * requires a value, because it would otherwise overwrite the time of an existing row.
 *
 * @example
 * ```ts
 * @Table("Customers")
 * class Customer {
 *   @PartitionKey() tenant!: Key<string>;
 *   @RowKey(ulid) id!: GeneratedKey<string>;
 *   @CreatedAt() createdAt!: Date;
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
 * The time of the last save that changed a value of the entity's row.
 *
 * @example
 * ```ts
 * @Table("Documents")
 * class Document {
 *   @PartitionKey() folder!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @UpdatedAt() updatedAt!: Date;
 * }
 * ```
 */
export const UpdatedAt: Called<
  "UpdatedAt",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional>,
  ) => FieldDecorator<Date, "@UpdatedAt() needs a property of type Date", Optional>
> = storing(() => updatedAt());
