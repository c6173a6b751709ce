import { embeddedAs, type Embedded as EmbeddedObject, type EntityClass } from "@partita/core/models";
import { checkDecoratorOptions } from "./check-arguments.ts";
import { declareField, membersOf } from "./declare.ts";
import type { FieldDecorator } from "./field-decorator.ts";

/** How an embedded object is stored. */
export interface EmbeddedOptions<Value, Optional extends boolean = boolean> {
  /** The prefix of the stored names. Defaults to the name of the property. */
  readonly name?: string;
  /** Whether the property may be undefined. */
  readonly optional?: Optional;
  /**
   * Builds the object from its stored values. Needed for classes with required arguments or immutable
   * instances.
   */
  readonly create?: (values: { readonly [Name in keyof Value]: Value[Name] }) => Value;
}

/**
 * Stores an object inside an entity. Its class declares its properties with decorators; each is stored as a
 * property of the row, such as `address_street` and `address_city`. Values and errors are those of
 * `embedded`.
 *
 * @example
 * ```ts
 * class Address {
 *   @Text() street!: string;
 *   @Text({ optional: true }) city?: string;
 * }
 * @Table("Customers")
 * class Customer {
 *   @PartitionKey() tenant!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Embedded(() => Address, { optional: true }) address?: Embedded<Address>;
 * }
 * ```
 *
 * @param of - returns the class of the object; called on first use
 */
export const Embedded =
  <Value extends object, Optional extends boolean = false>(
    of: () => EntityClass<Value>,
    options: EmbeddedOptions<Value, Optional> = {},
  ): FieldDecorator<Value, "@Embedded(() => Class) needs a property of type Embedded<Class>", Optional> =>
  (target, context) => {
    checkDecoratorOptions("Embedded", options, ["name", "optional", "create"]);
    const declaration = {
      class: of as unknown as () => new () => Value,
      leaves: () => membersOf(of()).properties,
      notStored: () => membersOf(of()).notStored ?? [],
      create: options.create as ((values: never) => object) | undefined,
    };
    return declareField(target, context, (property, { properties }) =>
      properties.set(
        property,
        embeddedAs(declaration, {
          ...(options.optional === true && { presence: "optional" }),
          ...(options.name !== undefined && { storedName: options.name }),
        }),
      ),
    );
  };

/** The type of an embedded object. */
export type Embedded<Value> = EmbeddedObject<Value>;
