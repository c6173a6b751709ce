import type { Ticks } from "../../values/edm/ticks.ts";
import type { ChildIn, ChildrenOf } from "./children.ts";
import type {
  DataOf,
  EntityShape,
  GeneratedKey,
  OwnNames,
  ShapeOf,
  SystemNames,
  ValueOf,
} from "./entity-shape.ts";
import type { AnyPropertyType } from "./property-type.ts";

/** A value that `JSON.stringify` writes and `JSON.parse` reads back unchanged. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** An entity of any class as JSON data, by the names of its class. */
export type PlainEntity = { [property: string]: JsonValue };

/**
 * An entity as JSON data, by the names of its class: the result of `toPlain`. Int64, decimals, times, bytes and GUIDs
 * are text; doubles are numbers, or `"NaN"`, `"Infinity"`, `"-Infinity"` and `"-0.0"`; embedded objects are objects,
 * and JSON is unchanged. Optional properties and lists may be absent, and only JSON may be null.
 *
 * The type is exact for classes of `defineEntity` and `defineKind`. In a decorated class, TypeScript only sees the
 * types of the members: hidden and unstored properties are part of the type, doubles have the type `number`, values of
 * a converter look like JSON, and the kind is missing.
 *
 * @example
 * ```ts
 * const plain: Plain<Blog> = toPlain(blog);
 * ```
 */
export type Plain<Entity> = [keyof Entity] extends [never]
  ? PlainEntity
  : Simplify<
      PlainKind<ShapeOf<Entity>> &
        PlainValues<Entity> & { [List in ChildrenOf<Entity>]?: Plain<ChildIn<Entity[List]>>[] }
    >;

/**
 * The data that `fromPlain` takes: any part of `Plain`, since new entities have initial values and members get the key
 * of their parent. The kind may also be one below the class.
 */
export type PartialPlain<Entity> = [keyof Entity] extends [never]
  ? { readonly [property: string]: unknown }
  : { readonly [Name in keyof PlainKind<ShapeOf<Entity>>]?: string } & {
      readonly [Name in keyof PlainValues<Entity>]?: PlainValues<Entity>[Name] | undefined;
    } & {
      readonly [List in ChildrenOf<Entity>]?: readonly PartialPlain<ChildIn<Entity[List]>>[] | undefined;
    };

type Simplify<T> = { [K in keyof T]: T[K] } & {};

type PlainValues<Entity> = [ShapeOf<Entity>] extends [never]
  ? PlainMembers<Omit<DataOf<Entity>, ChildrenOf<Entity>>>
  : ShapeOf<Entity> extends infer S extends EntityShape
    ? PlainOfShape<S>
    : never;

type PlainOfShape<S extends EntityShape> = PlainParts<S["partitionKey"]> &
  PlainParts<S["rowKey"]> &
  PlainProperties<S["properties"]> & { [Name in SystemNames<S>]?: string };

type PlainKind<S> = [S] extends [never]
  ? {}
  : S extends { readonly kind: infer Kind }
    ? { [Name in KindProperty<S>]: Kind extends { readonly name: infer Own } ? Own : Kind }
    : {};

type KindProperty<S> = S extends { readonly kindProperty: infer Name extends string } ? Name : "Kind";

type PlainParts<Parts> = { -readonly [Name in OwnNames<Parts>]: PlainValue<ValueOf<Parts[Name]>> };

type PlainProperties<P extends EntityShape["properties"]> = {
  -readonly [Name in keyof P as P[Name]["presence"] extends "optional" ? never : Shown<P, Name>]: PlainOf<
    P[Name]
  >;
} & {
  -readonly [Name in keyof P as P[Name]["presence"] extends "optional" ? Shown<P, Name> : never]?: PlainOf<
    P[Name]
  >;
};

type Shown<P extends EntityShape["properties"], Name extends keyof P> =
  Exclude<P[Name]["plain"], undefined> extends "hidden" ? never : Name;

type PlainOf<Type extends AnyPropertyType> =
  Exclude<Type["plain"], undefined> extends "double"
    ? number | "NaN" | "Infinity" | "-Infinity" | "-0.0"
    : Type extends { readonly leaves: infer Leaves extends EntityShape["properties"] }
      ? Simplify<PlainProperties<Leaves>>
      : Type["compared"] extends "none"
        ? ValueOf<Type>
        : Type["compared"] extends "values"
          ? PlainValue<ValueOf<Type>>
          : string;

type PlainValue<Value> = Value extends bigint | Date | Uint8Array | Ticks ? string : Value;

/** Determined by the types of members: objects are JSON, or decimals if they have `toFixed`. */
type PlainMembers<Data> = { -readonly [Name in keyof Data]: PlainMember<Data[Name]> };

type PlainMember<Value> = unknown extends Value
  ? Value
  : Value extends GeneratedKey<infer Part extends string | number>
    ? Part
    : Value extends bigint | Date | Uint8Array | Ticks | { toFixed(): string }
      ? string
      : Value extends readonly unknown[] | boolean | null | undefined
        ? Value
        : PlainMembers<DataOf<Value>>;
