import { type AnyPropertyType, type EdmType, ModelError, type SaveClock } from "@partita/core/models";
import { checkDecoratorOptions, checkDefault } from "./check-arguments.ts";
import { declareField, type FieldSite } from "./declare.ts";

/**
 * Whether a property may be absent: yes (`true`), no (`false`), unknown (`boolean`), or never, because it is
 * part of a key.
 */
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
        ? ModelError<"null is not stored: take it out of the type, and give a property that rows may lack a ? and { optional: true }">
        : ModelError<Message>;

/**
 * Marks a type that the property must match exactly. A narrower property could receive other values when it
 * is read.
 */
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

// `Extract` also finds the `?` under exactOptionalPropertyTypes, where the type does not include undefined.
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
        ? ModelError<`${Name} is a system property: choose another name`>
        : Name extends keyof Owner
          ? Storable<Property, Value, Message, MayBeAbsent>
          : ModelError<"only a public property can be stored">
      : never
  : ModelError<"this decorator belongs on a field">;

type LegacyField<Target, Name, Value, Message extends string, MayBeAbsent extends Absence> = Name extends
  | "PartitionKey"
  | "RowKey"
  | "Timestamp"
  ? ModelError<`${Name} is a system property: choose another name`>
  : Name extends keyof Target
    ? // oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
      Target extends abstract new (...args: any[]) => any
      ? ModelError<"a static property cannot be stored">
      : Storable<Target[Name], Value, Message, MayBeAbsent>
    : ModelError<"only a public property can be stored">;

/**
 * Resolves to `unknown` if the decorator fits, otherwise to a type that shows the message. The message is in
 * the return type because the compiler prints that on its first line; it reports the type of a wrong argument
 * further down.
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
 * A field decorator for both dialects. It compiles only on properties of type `Value`, and only if the
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

/** Repeats the message, because the compiler would otherwise print the name of a type. */
export type Returned<Checked> = unknown extends Checked
  ? void
  : Checked extends ModelError<infer Sentence>
    ? ModelError<Sentence>
    : Checked;

/**
 * The result of a decorator without parentheses. A call with a wrong argument has this type too. Since the
 * result is callable, the compiler then reports only the argument.
 */
export type Bare<Name extends string> = ModelError<`@${Name} needs parentheses: write @${Name}()`> &
  ((target: unknown, context: FieldContext) => void);

/** The second argument of a field decorator. */
export type FieldContext = PropertyKey | { readonly kind: string };

/**
 * A decorator that is called with options. Without parentheses it receives a field as two arguments, and its
 * result is a message that the compiler prints.
 */
export type Called<Name extends string, Decorator> = ((
  target: unknown,
  context: FieldContext,
) => Bare<Name>) &
  Decorator;

/** A decorator that stores a property as a type that may depend on its options. */
export const storing = (typeFor: (options: object | undefined) => AnyPropertyType): never =>
  ((options?: FieldOptions<boolean, unknown>) => storedField(typeFor(options), options)) as never;

/** A field decorator before its type checks the property. */
export type UncheckedField = (target: unknown, context: PropertyKey | { readonly kind: string }) => never;

/** How a property is stored. */
export interface FieldOptions<Optional extends boolean = boolean, Value = never> {
  /** The name in the service. Defaults to the property's name. */
  readonly name?: string;
  /**
   * Whether the property may be undefined. Use `true` together with `name?: Type`; without the `?` it does
   * not compile.
   */
  readonly optional?: Optional;
  /**
   * Makes the value of a new entity that has none: `@Text({ default: () => crypto.randomUUID() })`. It is
   * called once for each new entity, in the order of declaration, at the latest by `create`, `add`, `upsert`,
   * `createIn` or `fromPlain`, and never for rows that are read. To set the value of rows that lack the
   * property, initialise the field: `@Int32() rating = 3`.
   */
  readonly default?: () => Value;
  /**
   * Makes the value that a save writes, like `onSave` of property types:
   * `@DateTime({ onSave: (clock) => new Date(clock.now()) })`.
   */
  readonly onSave?: (clock: SaveClock) => Value;
  /** Whether plain data leaves the property out in both directions, like `hidden` of property types. */
  readonly hidden?: boolean;
  /** Other EDM types that stored values may have, in rows that older programs or other clients wrote. */
  readonly alsoReads?: readonly EdmType[];
}

/** The decorator that stores a property as `type` and applies the options. */
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
          `${property} has two decorators for its type, and @${decorator} is one of them. Remove one of the two.`,
          { property },
        );
      const known = typeof type === "function" ? type(property, site) : type;
      declarations.properties.set(property, withOptions(known, options));
    });
}

const optionNames = ["name", "optional", "default", "onSave", "hidden", "alsoReads"];
/** Options that only one decorator accepts. */
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
