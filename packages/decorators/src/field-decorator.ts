import { type AnyPropertyType, type EdmType, ModelError, type SaveClock } from "@partita/core/models";
import { checkDecoratorOptions, checkDefault } from "./check-arguments.ts";
import { declareField, type FieldSite } from "./declare.ts";

/** Whether a property may be absent: yes (`true`), no (`false`), not known here (`boolean`), or never, as part of a key. */
type Absence = boolean | "key part";

type Storable<Property, Value, Message extends string, MayBeAbsent extends Absence> = [
  Exclude<Property, null | undefined>,
] extends [never]
  ? ModelError<Message>
  : 0 extends 1 & Property
    ? ModelError<`${Message} (it is any)`>
    : Fits<Exclude<Property, undefined>, Value> extends true
      ? Agrees<Property, MayBeAbsent>
      : Fits<Exclude<Property, null | undefined>, Value> extends true
        ? ModelError<"null is not stored: take it out of the type; a property that rows may lack has a ? and { optional: true }">
        : ModelError<Message>;

/** Marks a type that a property must have exactly: one that takes less could be given the rest when it is read. */
export interface Exactly<Value> {
  readonly exactly: Value;
}

type Fits<Property, Value> = [Value] extends [Exactly<infer All>]
  ? [Property] extends [All]
    ? [All] extends [Property]
      ? true
      : false
    : false
  : [Property] extends [Value]
    ? true
    : false;

/** Whether the property's `?` agrees with its option. */
type Agrees<Property, MayBeAbsent extends Absence> =
  CannotTell<Property, MayBeAbsent> extends true
    ? unknown
    : MayBeAbsent extends true
      ? IfUndefinable<Property, unknown, OptionInVain>
      : MayBeAbsent extends "key part"
        ? IfUndefinable<Property, AbsentKey, unknown>
        : IfUndefinable<Property, OptionMissing, unknown>;

type OptionInVain =
  ModelError<"{ optional: true } needs a property that may be undefined: write ? after its name, or leave the option out">;
type OptionMissing =
  ModelError<"a property that may be undefined needs { optional: true }: write the option, or leave out the ? after its name">;
type AbsentKey = ModelError<"a key part always has a value: leave out the ? after its name, and undefined">;

/** `unknown` may be anything, and without `strictNullChecks` every type may be undefined. */
type CannotTell<Property, MayBeAbsent extends Absence> = boolean extends MayBeAbsent
  ? true
  : unknown extends Property
    ? true
    : undefined extends string
      ? true
      : false;

// `Extract` also finds the `?` under exactOptionalPropertyTypes, which is no undefined there.
type IfUndefinable<Property, Then, Else> = [Extract<Property, undefined>] extends [never] ? Else : Then;

type StandardField<Context, Value, Message extends string, MayBeAbsent extends Absence> = Context extends {
  readonly kind: "field";
}
  ? Context extends { readonly static: true }
    ? ModelError<"a static property cannot be stored">
    : // oxlint-disable-next-line typescript/no-explicit-any -- the class the accessor belongs to does not matter
      Context extends {
          readonly access: { get(owner: infer Owner): infer Property };
          readonly name: infer Name;
        }
      ? Name extends "PartitionKey" | "RowKey" | "Timestamp"
        ? ModelError<`${Name} is a name of the service: take another one`>
        : Name extends keyof Owner
          ? Storable<Property, Value, Message, MayBeAbsent>
          : ModelError<"only a public property can be stored">
      : never
  : ModelError<"this decorator goes on a field">;

type LegacyField<Target, Name, Value, Message extends string, MayBeAbsent extends Absence> = Name extends
  | "PartitionKey"
  | "RowKey"
  | "Timestamp"
  ? ModelError<`${Name} is a name of the service: take another one`>
  : Name extends keyof Target
    ? // oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
      Target extends abstract new (...args: any[]) => any
      ? ModelError<"a static property cannot be stored">
      : Storable<Target[Name], Value, Message, MayBeAbsent>
    : ModelError<"only a public property can be stored">;

/**
 * Resolves to `unknown` where the decorator fits, else to a type that shows the message. As what a decorator returns, it
 * stands on the first line that the compiler prints; a wrong argument's type stands below a line that says nothing.
 */
export type CheckField<
  Target,
  Context,
  Value,
  Message extends string,
  MayBeAbsent extends Absence,
> = Context extends { readonly kind: string }
  ? StandardField<Context, Value, Message, MayBeAbsent>
  : LegacyField<Target, Context, Value, Message, MayBeAbsent>;

/**
 * A field decorator under both dialects, which compiles only on properties of type `Value`, and only where the
 * property's `?` agrees with `MayBeAbsent`.
 */
export type FieldDecorator<
  Value,
  Message extends string,
  MayBeAbsent extends boolean | "key part" = boolean,
> = <Target, const Context extends PropertyKey | { readonly kind: string }>(
  target: Target,
  context: Context,
) => Returned<CheckField<Target, Context, Value, Message, MayBeAbsent>>;

/** The sentence is written anew, so that the compiler prints it and not the name of a type. */
export type Returned<Checked> = unknown extends Checked
  ? void
  : Checked extends ModelError<infer Sentence>
    ? ModelError<Sentence>
    : Checked;

/**
 * The result of a decorator that is written without its parentheses. A call with a wrong argument has this type as well, and
 * then only the argument is reported, as the result can be called.
 */
export type Bare<Name extends string> = ModelError<`@${Name} needs its parentheses: write @${Name}()`> &
  ((target: unknown, context: FieldContext) => void);

/** The second argument of a field decorator. */
export type FieldContext = PropertyKey | { readonly kind: string };

/**
 * A decorator that is called for its options. Without its parentheses it is given a field, by two arguments, and its result is
 * a sentence that the compiler prints.
 */
export type Called<Name extends string, Decorator> = ((
  target: unknown,
  context: FieldContext,
) => Bare<Name>) &
  Decorator;

/** A decorator that stores a property as a type, which may depend on its options. */
export const storing = (typeFor: (options: object | undefined) => AnyPropertyType): never =>
  ((options?: FieldOptions<boolean, unknown>) => storedField(typeFor(options), options)) as never;

/** A field decorator before its type says where it fits. */
export type UncheckedField = (target: unknown, context: PropertyKey | { readonly kind: string }) => never;

/** How a property is stored. */
export interface FieldOptions<Optional extends boolean = boolean, Value = never> {
  /** The name in the service; the property's own when absent. */
  readonly name?: string;
  /** Whether the property may be undefined: `true` belongs to `name?: Type`, and does not compile without the `?`. */
  readonly optional?: Optional;
  /**
   * Makes the value of a new entity that was given none: `@Text({ default: () => crypto.randomUUID() })`. It is called
   * once for each new entity, in the order of declaration, at the latest by `create`, `add`, `upsert`, `createIn` or
   * `fromPlain`, and never for rows that are read. For a value that rows without one are read as, use the field's own:
   * `@Int32() rating = 3`.
   */
  readonly default?: () => Value;
  /**
   * Makes the value that a save writes, as `onSave` of property types:
   * `@DateTime({ onSave: (clock) => new Date(clock.now()) })`.
   */
  readonly onSave?: (clock: SaveClock) => Value;
  /** Whether plain data leaves the property out in both directions, as `hidden` of property types does. */
  readonly hidden?: boolean;
  /** Other EDM types that stored values may have, in rows of older programs or other clients. */
  readonly alsoReads?: readonly EdmType[];
}

/** The decorator that stores a property as `type`, with the options applied. */
export function storedField(
  type: AnyPropertyType | ((property: string, site: FieldSite) => AnyPropertyType),
  options: FieldOptions<boolean, unknown> | undefined,
): UncheckedField {
  const decorator = typeof type === "function" ? "Property" : (type.serializer.name.split(" ")[0] as string);
  checkDecoratorOptions(decorator, options, [...optionNames, ...(ownOptions.get(decorator) ?? [])]);
  checkDefault(decorator, options?.default);
  return (target, context) =>
    declareField(target, context, (property, declarations, site) => {
      if (declarations.properties.has(property))
        throw new ModelError(
          "model.property-twice",
          `${property} has two decorators that name its type, @${decorator} among them. Keep the one that is meant.`,
          { property },
        );
      const known = typeof type === "function" ? type(property, site) : type;
      declarations.properties.set(property, withOptions(known, options));
    });
}

const optionNames = ["name", "optional", "default", "onSave", "hidden", "alsoReads"];
/** Those that one decorator alone takes. */
const ownOptions = new Map([
  ["DateTime", ["ticks"]],
  ["Decimal", ["scale", "as"]],
  ["Binary", ["inPlace"]],
]);

function withOptions(type: AnyPropertyType, options: FieldOptions<boolean, unknown> = {}): AnyPropertyType {
  let result = type;
  if (options.optional === true) result = result.optional();
  if (options.default !== undefined) result = result.default(options.default);
  if (options.onSave !== undefined) result = result.onSave(options.onSave);
  if (options.hidden === true) result = result.hidden();
  if (options.name !== undefined) result = result.named(options.name);
  if (options.alsoReads !== undefined) result = result.alsoReads(...options.alsoReads);
  return result;
}
