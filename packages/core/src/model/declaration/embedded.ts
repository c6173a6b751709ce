import { ModelError } from "../../values/errors/model-error.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { presenceSerializer } from "../../values/edm/presence.ts";
import type { ValueOf } from "./entity-shape.ts";
import type { AnyPropertyType, EmbeddedDeclaration, Presence, PropertyType } from "./property-type.ts";

/** The stored properties of an embedded object. */
export type EmbeddedLeaves = Readonly<Record<string, AnyPropertyType>>;

/** The type of an embedded object. Immutable: each method returns another type. */
export interface EmbeddedType<
  Value,
  Leaves extends EmbeddedLeaves,
  P extends Presence = "required",
> extends PropertyType<Value, P, "embedded"> {
  readonly leaves: Leaves;
  /**
   * The object may be undefined.
   *
   * ```ts
   * class Address {
   *   street = "";
   * }
   * const properties = { address: embedded(Address, { street: text() }).optional() };
   * ```
   */
  optional(): EmbeddedType<Value, Leaves, "optional">;
}

/** The values of leaves, by name. An object of the class is made from them. */
export type LeafValues<Leaves> = {
  readonly [Name in keyof Leaves]: Leaves[Name] extends { readonly presence: "optional" }
    ? ValueOf<Leaves[Name]> | undefined
    : ValueOf<Leaves[Name]>;
};

/** Refuses leaves that the class does not have, or has with another type. */
type LeavesOf<Value, Leaves> = {
  readonly [Name in keyof Leaves]: Name extends keyof Value
    ? [ValueOf<Leaves[Name]>] extends [Exclude<Value[Name], undefined>]
      ? unknown
      : ModelError<`${Name & string} has another type in the class`>
    : ModelError<`the class has no member ${Name & string}`>;
};

/**
 * An object inside an entity, such as an address. Each of its properties is stored as a separate column:
 * `address_street`, `address_city`; names of nested objects are joined in the same way. A save compares leaf by leaf,
 * and a merge sends the leaves that differ. Editing the object and replacing it have the same effect.
 *
 * Partita makes objects with `new Class()`, without arguments. If the class requires arguments or its instances are
 * immutable, pass `create`. If all leaves of an object are optional and have no value, it is stored as a Boolean column
 * under the property's own name. Null and undefined mean that there is no object.
 *
 * @example
 * ```ts
 * class Address {
 *   street = "";
 *   city?: string;
 * }
 * class Customer extends defineEntity({
 *   table: "Customers",
 *   partitionKey: { tenant: text() },
 *   rowKey: { id: ulid },
 *   properties: { address: embedded(Address, { street: text(), city: text().optional() }).optional() },
 * }) {}
 * const customer = new Customer({ tenant: "acme", address: { street: "Gate 1", city: "Oslo" } });
 * customer.address instanceof Address; // true
 * ```
 *
 * @param embeddedClass - the class of the object
 * @param leaves - its stored properties, without constant defaults and without `onSave`
 * @param options - `create`: makes an object of the values of all leaves, which may be undefined;
 *   `notStored`: members that saves leave out, instead of refusing their values
 */
export function embedded<
  Value extends object,
  const Leaves extends EmbeddedLeaves,
  Args extends readonly unknown[],
>(
  embeddedClass: new (...args: Args) => Value,
  leaves: LeavesOf<Value, Leaves> & Leaves,
  options?: {
    readonly create?: (values: LeafValues<Leaves>) => Value;
    readonly notStored?: readonly (keyof Value & string)[];
  },
): EmbeddedType<Value, Leaves> {
  if (typeof leaves !== "object" || leaves === null)
    throw new ModelError(
      "model.property-type",
      `embedded(${embeddedClass?.name ?? "Class"}, leaves) takes the stored properties of the object: embedded(Address, { street: text() }).`,
    );
  const list = Object.entries(leaves as EmbeddedLeaves).map(([name, type]) => ({ name, type }));
  if (typeof embeddedClass !== "function") throw noClass(embeddedClass);
  const declaration = {
    class: () => embeddedClass,
    leaves: () => list,
    create: options?.create,
    notStored: () => options?.notStored ?? [],
  };
  return embeddedAs(declaration, { leaves }) as unknown as EmbeddedType<Value, Leaves>;
}

/** The error for a value that is not a class. */
export const noClass = (given: unknown): ModelError =>
  new ModelError(
    "model.property-type",
    `An embedded object is declared by its class, but ${describeType(given)} is given: write embedded(Address, { street: text() }), or @Embedded(() => Address). For a list of objects, use json(), or children with their own rows.`,
  );

/** The type of an embedded object, from its declaration. */
export function embeddedAs(
  embedded: EmbeddedDeclaration,
  more: { readonly leaves?: object; readonly presence?: Presence; readonly storedName?: string } = {},
): AnyPropertyType {
  const refuse = (setting: string) => (): never => {
    throw new ModelError(
      "model.property-type",
      `An embedded object takes no ${setting}. Set it for its leaves, or assign the object when you create the entity.`,
    );
  };
  const type = {
    serializer: presenceSerializer([]),
    presence: more.presence ?? "required",
    compared: "embedded",
    otherTypes: [],
    embedded,
    ...more,
    optional: () => embeddedAs(embedded, { ...more, presence: "optional" }),
    named: (storedName: string) => embeddedAs(embedded, { ...more, storedName }),
    default: refuse("default"),
    onSave: refuse("onSave"),
    hidden: refuse("hidden"),
    alsoReads: refuse("other types"),
  };
  return type as unknown as AnyPropertyType;
}
