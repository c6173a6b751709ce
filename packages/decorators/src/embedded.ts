import { embeddedAs, type Embedded as EmbeddedObject, type EntityClass } from "@partita/core/models";
import { checkDecoratorOptions } from "./check-arguments.ts";
import { declareField, membersOf } from "./declare.ts";
import type { FieldDecorator } from "./field-decorator.ts";

/** How an embedded object is stored. */
export interface EmbeddedOptions<Value, Optional extends boolean = boolean> {
  /** What the stored names of its leaves begin with; the property's own name when absent. */
  readonly name?: string;
  /** Whether the property may be undefined. */
  readonly optional?: Optional;
  /** Makes an object of the values of its leaves, for classes with required arguments or immutable instances. */
  readonly create?: (values: { readonly [Name in keyof Value]: Value[Name] }) => Value;
}

/**
 * An object inside an entity: `@Embedded(() => Address) address!: Embedded<Address>`. The decorators of its own class say how
 * its properties are stored, as columns `address_street`, `address_city`. Values and errors are those of `embedded`.
 *
 * @example
 * ```ts
 * class Address {
 *   @Text() street!: string;
 *   @Text({ optional: true }) city?: string;
 * }
 *
 * @Table("Customers")
 * class Customer {
 *   @PartitionKey() tenant!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Embedded(() => Address, { optional: true }) address?: Embedded<Address>;
 * }
 * ```
 *
 * @param of - the class of the object, asked for on first use
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
