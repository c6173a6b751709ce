import {
  type AnyPropertyType,
  binary,
  bool,
  dateTime,
  double,
  int64,
  ModelError,
  text,
} from "@partita/core/models";
import type { FieldSite } from "./declare.ts";
import { designType } from "./design-type.ts";
import { type Called, type FieldDecorator, type FieldOptions, storedField } from "./field-decorator.ts";

type Inferable = string | number | boolean | bigint | Date | Uint8Array;

/**
 * Stores a property by its TypeScript type: String, Boolean, Date, BigInt, Uint8Array, and `number` as
 * Double. It needs legacy decorators with `emitDecoratorMetadata`, and reflect-metadata loaded first. If the
 * type cannot be determined, the error lists the decorators to choose from.
 *
 * @example
 * ```ts
 * @Table("Races")
 * class Race {
 *   @PartitionKey() country!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Property() name!: string;
 *   @Property() startsAt!: Date;
 * }
 * ```
 */
export const Property: Called<
  "Property",
  <Optional extends boolean = false>(
    options?: FieldOptions<Optional, Inferable>,
  ) => FieldDecorator<
    Inferable,
    "@Property() does not know this type; write the EDM decorator, such as @Json()",
    Optional
  >
> = ((options?: FieldOptions<boolean, unknown>) => storedField(inferType, options)) as never;

function inferType(property: string, { target }: FieldSite): AnyPropertyType {
  const designed = designType(property, target);
  switch (designed) {
    case String:
      return text();
    case Number:
      return double();
    case Boolean:
      return bool();
    case BigInt:
      return int64();
    case Date:
      return dateTime();
    case Uint8Array:
      return binary();
    default:
      throw notInferable(property, designed);
  }
}

function notInferable(property: string, designed: unknown): ModelError {
  const found =
    typeof designed === "function"
      ? `the compiler recorded only ${designed.name}`
      : "the compiler recorded no type";
  return new ModelError(
    "model.type-not-inferred",
    `@Property() does not know the type of ${property}: ${found}. Use the decorator of an EDM type instead: @Text(), @Int32(), @Int64(), @Double(), @Bool(), @DateTime(), @Guid(), @Binary() or @Json().`,
    { property },
  );
}
