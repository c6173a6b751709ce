import type { AnySerializer } from "../../values/edm/serializer.ts";
import type { EdmType } from "../../values/edm/stored-entity.ts";

/** A type of a stored property: the parts of `text()`, `int32()` and the like that upgrades need. */
export interface StoredType {
  readonly serializer: AnySerializer;
  readonly presence: "required" | "optional" | "default" | "filled";
  /** The value of rows that have none. */
  readonly defaultValue?: unknown;
  /** Other EDM types that stored values may have. */
  readonly otherTypes: readonly EdmType[];
}

/** The properties of one version, by their stored names. */
export type Shape = Readonly<Record<string, StoredType>>;

/** The value of a stored type. */
export type TypeValue<Type> = Type extends { readonly serializer: { decode(...args: never[]): infer Value } }
  ? Type extends { readonly presence: "optional" }
    ? Value | undefined
    : Value
  : never;

/** The values of a shape, as a step sees them. */
export type ShapeValues<S> = { -readonly [Name in keyof S]: TypeValue<S[Name]> };

/** Stores a property under another name. */
export interface RenameStep<From extends string = string, To extends string = string> {
  readonly op: "rename";
  readonly from: From;
  readonly to: To;
}

/** Adds a property, with a value for the rows that have none. */
export interface AddStep<Name extends string = string, Type = StoredType> {
  readonly op: "add";
  readonly name: Name;
  readonly type: Type;
  readonly value: unknown;
}

/** Drops a property and its values. */
export interface RemoveStep<Name extends string = string> {
  readonly op: "remove";
  readonly name: Name;
  /** The value that rows get for releases that require one. */
  readonly back?: (() => unknown) | undefined;
}

/** The way back of a step: from the values of a version to those of the version before it, for releases that know only that. */
export interface WayBack<Back> {
  /** Must give the same for the same values, and a value for all of them. */
  readonly back?: Back | undefined;
  /**
   * Whether `back` gives every older value again that was converted: conditions with `eq` then find older rows by it.
   * Otherwise they request all older rows.
   */
  readonly exact?: boolean | undefined;
}

/** A way back, for any values. */
type AnyWayBack = WayBack<(value: never) => unknown>;

/** Stores a property as another type, under a new name: two versions never differ about the type of one name. */
export interface RetypeStep<
  From extends string = string,
  To extends string = string,
  Value = never,
  Type = StoredType,
> extends AnyWayBack {
  readonly op: "retype";
  readonly from: From;
  readonly to: To;
  readonly type: Type;
  readonly convert: (value: Value) => unknown;
}

/** Makes several properties of one. */
export interface SplitStep<From extends string = string, Into = Shape, Value = never> extends AnyWayBack {
  readonly op: "split";
  readonly from: From;
  readonly into: Into;
  readonly convert: (value: Value) => unknown;
}

/** Makes one property of several. */
export interface JoinStep<
  From extends readonly string[] = readonly string[],
  To extends string = string,
  Values = never,
  Type = StoredType,
> extends AnyWayBack {
  readonly op: "join";
  readonly from: From;
  readonly to: To;
  readonly type: Type;
  readonly convert: (values: Values) => unknown;
}

/** A step with a known effect on each property, so filters can follow it. */
export type NamedStep = RenameStep | AddStep | RemoveStep | RetypeStep | SplitStep | JoinStep;

/**
 * Stores a property under another name: `rename("Qty", "Quantity")`.
 *
 * ```ts
 * const chain = upgrades({ Qty: int32() }).to(2, rename("Qty", "Quantity"));
 * console.log(Object.keys(chain.shape)); // → [ 'Quantity' ]
 * ```
 */
export const rename = <const From extends string, const To extends string>(
  from: From,
  to: To,
): RenameStep<From, To> => ({ op: "rename", from, to });

/**
 * Adds a property: rows that lack it get `value`.
 *
 * ```ts
 * const chain = upgrades({ Name: text() }).to(2, add("Rating", int32(), 3));
 * console.log(Object.keys(chain.shape)); // → [ 'Name', 'Rating' ]
 * ```
 */
export const add = <const Name extends string, Type extends StoredType>(
  name: Name,
  type: Type,
  value: NoInfer<TypeValue<Type>>,
): AddStep<Name, Type> => ({ op: "add", name, type, value });

/**
 * Drops a property. The next write of a row deletes its value. While an older version is supported, values stay, and new
 * rows get the value of `back`: `remove("Rating", { back: () => 3 })`.
 *
 * ```ts
 * const chain = upgrades({ Name: text(), Rating: int32() }).to(2, remove("Rating", { back: () => 3 }));
 * console.log(Object.keys(chain.shape)); // → [ 'Name' ]
 * ```
 */
export const remove = <const Name extends string>(
  name: Name,
  { back }: { readonly back?: (() => unknown) | undefined } = {},
): RemoveStep<Name> => ({ op: "remove", name, back });

/**
 * Stores a property as another type, under a new name:
 * `retype("Price", "Cents", int32(), (p: number) => Math.round(p * 100), { back: (cents) => cents / 100 })`.
 *
 * ```ts
 * const toCents = (price: number): number => Math.round(price * 100);
 * const chain = upgrades({ Price: double() }).to(
 *   2,
 *   retype("Price", "Cents", int32(), toCents, { back: (cents) => cents / 100 }),
 * );
 * ```
 */
export const retype = <const From extends string, const To extends string, Value, Type extends StoredType>(
  from: From,
  to: To,
  type: Type,
  convert: (value: Value) => NoInfer<TypeValue<Type>>,
  { back, exact }: WayBack<(value: NoInfer<TypeValue<Type>>) => NoInfer<Value>> = {},
): RetypeStep<From, To, Value, Type> => ({ op: "retype", from, to, type, convert, back, exact });

/**
 * Makes several properties of one: `split("Name", { First: text(), Last: text() }, (name: string) => …, { back: … })`.
 *
 * ```ts
 * const chain = upgrades({ Name: text() }).to(
 *   2,
 *   split("Name", { First: text(), Last: text() }, (name: string) => {
 *     const [First = "", Last = ""] = name.split(" ");
 *     return { First, Last };
 *   }),
 * );
 * ```
 */
export const split = <const From extends string, Into extends Shape, Value>(
  from: From,
  into: Into,
  convert: (value: Value) => NoInfer<ShapeValues<Into>>,
  { back }: Pick<WayBack<(values: NoInfer<ShapeValues<Into>>) => NoInfer<Value>>, "back"> = {},
): SplitStep<From, Into, Value> => ({ op: "split", from, into, convert, back });

/**
 * Makes one property of several: `join(["First", "Last"], "Name", text(), (v: { First: string; Last: string }) => …)`.
 *
 * ```ts
 * const chain = upgrades({ First: text(), Last: text() }).to(
 *   2,
 *   join(["First", "Last"], "Name", text(), (v: { First: string; Last: string }) => `${v.First} ${v.Last}`),
 * );
 * ```
 */
export const join = <
  const From extends readonly string[],
  const To extends string,
  Values,
  Type extends StoredType,
>(
  from: From,
  to: To,
  type: Type,
  convert: (values: Values) => NoInfer<TypeValue<Type>>,
  { back, exact }: WayBack<(value: NoInfer<TypeValue<Type>>) => NoInfer<Values>> = {},
): JoinStep<From, To, Values, Type> => ({ op: "join", from, to, type, convert, back, exact });
