import { type AnyPropertyType, type EdmType, type ModelError } from "@partita/core";
import { declareField, type FieldSite } from "./declare.ts";

type Storable<Property, Value, Message extends string> = [Exclude<Property, null | undefined>] extends [never]
  ? ModelError<Message>
  : 0 extends 1 & Property
    ? ModelError<`${Message} (it is any)`>
    : [Exclude<Property, null | undefined>] extends [Value]
      ? unknown
      : ModelError<Message>;

type StandardField<Context, Value, Message extends string> = Context extends { readonly kind: "field" }
  ? Context extends { readonly static: true }
    ? ModelError<"a static property cannot be stored">
    : // oxlint-disable-next-line typescript/no-explicit-any -- the class the accessor belongs to does not matter
      Context extends { readonly access: { get(owner: any): infer Property } }
      ? Storable<Property, Value, Message>
      : never
  : ModelError<"this decorator goes on a field">;

type LegacyField<Target, Name, Value, Message extends string> = Name extends keyof Target
  ? // oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
    Target extends abstract new (...args: any[]) => any
    ? ModelError<"a static property cannot be stored">
    : Storable<Target[Name], Value, Message>
  : ModelError<"only a public property can be stored">;

/** Resolves to `unknown` where the decorator fits, else to a type that shows the message. */
export type CheckField<Target, Context, Value, Message extends string> = Context extends {
  readonly kind: string;
}
  ? StandardField<Context, Value, Message>
  : LegacyField<Target, Context, Value, Message>;

/** A field decorator under both dialects, which compiles only on properties of type `Value`. */
export type FieldDecorator<Value, Message extends string> = <
  Target,
  const Context extends PropertyKey | { readonly kind: string },
>(
  target: Target,
  context: Context & CheckField<Target, Context, Value, Message>,
) => void;

/** How a property is stored. */
export interface FieldOptions<Value> {
  /** The name in the service; the property's own when absent. */
  readonly name?: string;
  /** What an absent value reads as. */
  readonly default?: Value;
  /** Whether the property may be undefined at save. */
  readonly optional?: boolean;
  /** Other EDM types that stored values may have, in rows of older programs or other clients. */
  readonly storedAs?: readonly EdmType[];
}

/** The decorator that stores a property as `type`, with the options applied. */
export function storedField<Value, Message extends string>(
  type: AnyPropertyType | ((property: string, site: FieldSite) => AnyPropertyType),
  options: FieldOptions<Value> | undefined,
): FieldDecorator<Value, Message> {
  return (target, context) =>
    declareField(target, context, (property, declarations, site) => {
      const known = typeof type === "function" ? type(property, site) : type;
      declarations.properties.set(property, withOptions(known, options));
    });
}

function withOptions(type: AnyPropertyType, options: FieldOptions<unknown> = {}): AnyPropertyType {
  let result = type;
  if (options.optional === true) result = result.optional();
  if (options.default !== undefined) result = result.default(options.default);
  if (options.name !== undefined) result = result.named(options.name);
  if (options.storedAs !== undefined) result = result.storedAs(...options.storedAs);
  return result;
}
