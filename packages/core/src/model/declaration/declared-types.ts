import type { ModelError } from "../../values/errors/model-error.ts";
import type { EntityShape, IndexDeclaration, OwnParts, ValueOf } from "./entity-shape.ts";

// Types that turn mistakes in a declaration into compile errors with a sentence. Each is a further member of the type
// that `defineEntity` or `defineKind` takes: `unknown` where nothing is wrong, otherwise an object that has the
// sentence at the place of the mistake.

/** Refuses settings that a declaration does not have: a misspelt setting would be ignored otherwise. */
export type NoOther<Given, Known> = {
  readonly [
    Name in Exclude<keyof Given, keyof Known>
  ]: ModelError<`there is no setting "${Name & string}" here`>;
};

/** The members of a shape that have values, by name. */
type Members<S extends Partial<EntityShape>> = OwnParts<S["partitionKey"]> &
  OwnParts<S["rowKey"]> &
  S["properties"];

/** The members that a kind inherits. */
type NoBase = { readonly partitionKey: {}; readonly rowKey: {}; readonly properties: {} };

/** Refuses members that are declared twice, and derived parts that are made from nothing. */
export type NamedOnce<Given extends Partial<EntityShape>, Base extends EntityShape = NoBase> = {
  readonly partitionKey?: DerivedFrom<Given["partitionKey"], Given, Base>;
  readonly rowKey?: Twice<
    keyof OwnParts<Given["rowKey"]>,
    SurelyOwn<Given["partitionKey"]> | keyof Members<Base>,
    "is declared already: a property is one part of one key"
  > &
    DerivedFrom<Given["rowKey"], Given, Base>;
  readonly properties?: Twice<
    keyof Given["properties"],
    keyof OwnParts<Given["partitionKey"]> | keyof OwnParts<Given["rowKey"]> | keyof Members<Base>,
    "is declared already, and the key or the base stores it: leave it out here"
  > &
    NotReserved<Given["properties"]>;
};

/** The parts that are no derived ones, as a format of any type might be. */
type SurelyOwn<Parts> = {
  [Name in keyof OwnParts<Parts>]: 0 extends 1 & ValueOf<Parts[Name & keyof Parts]> ? never : Name;
}[keyof OwnParts<Parts>];

type Twice<Names, Others, Sentence extends string> = string extends Names | Others
  ? unknown
  : { readonly [Name in Names & Others & string]: ModelError<`${Name} ${Sentence}`> };

/** A derived part, such as the month of a date, holds less than its property, which is declared elsewhere as well. */
type DerivedFrom<Parts, Given extends Partial<EntityShape>, Base extends EntityShape> = {
  readonly [
    Name in keyof Parts as Parts[Name] extends { readonly isDerived: true }
      ? Exclude<Name, keyof Members<Given> | keyof Members<Base>>
      : never
  ]: ModelError<`${Name & string} is derived from a property that is not declared: declare it in properties or the other key`>;
};

/** The service has these names for itself. */
type NotReserved<Properties> = string extends keyof Properties
  ? unknown
  : {
      readonly [
        Name in keyof Properties & ("PartitionKey" | "RowKey" | "Timestamp") as Properties[Name] extends {
          readonly storedName: string;
        }
          ? never
          : Name
      ]: ModelError<`${Name} is a name of the service: declare keys in partitionKey and rowKey, or store it by .named("…")`>;
    };

/** Refuses indexes over unknown properties, by formats that do not fit, with unknown settings, or without a prefix. */
export type IndexedBy<Given extends Partial<EntityShape>, Base extends EntityShape = NoBase> = Given extends {
  readonly indexes: infer Indexes extends Readonly<Record<string, IndexDeclaration>>;
}
  ? {
      readonly indexes: {
        readonly [Index in keyof Indexes]: NoOther<Indexes[Index], IndexDeclaration> & {
          readonly rowKey: FittingParts<Indexes[Index]["rowKey"], Members<Given> & Members<Base>> &
            Prefixed<Indexes[Index]["rowKey"]>;
          readonly copy?: "all" | "none" | readonly (keyof Given["properties"] | keyof Base["properties"])[];
        };
      };
    }
  : unknown;

type FittingParts<Parts, Types> = {
  readonly [
    Name in keyof Parts as Parts[Name] extends { readonly literal: string } ? never : Name
  ]: Name extends keyof Types
    ? [ValueOf<Types[Name]>] extends [ValueOf<Parts[Name]>]
      ? unknown
      : ModelError<`this key format does not take the values of ${Name & string}`>
    : ModelError<`there is no property ${Name & string} here`>;
};

type Prefixed<Parts> = true extends {
  [Name in keyof Parts]: Parts[Name] extends { readonly literal: string } | { readonly prefix: string }
    ? true
    : false;
}[keyof Parts]
  ? unknown
  : ModelError<'an index begins with a text of its own: write constant("AGE:", format) for its first part'>;

/** Refuses lists of children whose keys do not begin with the parent's. */
export type ChildrenBelow<
  Given extends Partial<EntityShape>,
  Base extends EntityShape = NoBase,
> = Given extends {
  readonly children: infer Lists;
}
  ? {
      readonly children: {
        readonly [List in keyof Lists]: Lists[List] extends () => {
          readonly shape: infer Child extends EntityShape;
        }
          ? BelowKey<Child, Given["partitionKey"] & Base["partitionKey"], Given["rowKey"] & Base["rowKey"]>
          : unknown;
      };
    }
  : unknown;

type BelowKey<Child extends EntityShape, PartitionKey, RowKey> = [keyof PartitionKey] extends [
  keyof Child["partitionKey"],
]
  ? [keyof Child["partitionKey"]] extends [keyof PartitionKey]
    ? [keyof RowKey] extends [keyof Child["rowKey"]]
      ? unknown
      : ModelError<"the RowKey of children begins with all parts of the parent's">
    : ModelError<"children have the PartitionKey of their parent">
  : ModelError<"children have the PartitionKey of their parent">;

/** Refuses values that JSON does not keep, naming the member: dates, classes with methods, maps, bigints. */
export type Jsonable<Value> = [JsonProblem<Value, "it", []>] extends [never]
  ? unknown
  : JsonProblem<Value, "it", []>;

type JsonProblem<Value, Path extends string, Depth extends readonly unknown[]> = unknown extends Value
  ? never
  : Depth["length"] extends 6
    ? never
    : Value extends string | number | boolean | null | undefined
      ? never
      : Value extends readonly (infer Item)[]
        ? JsonProblem<Item, `${Path}[]`, [...Depth, 0]>
        : Value extends Date | bigint | symbol | ((...args: never[]) => unknown)
          ? ModelError<`JSON does not keep ${Path}: it is ${KindOf<Value>}`>
          : {
              [Name in keyof Value & string]: JsonProblem<
                Value[Name],
                Path extends "it" ? Name : `${Path}.${Name}`,
                [...Depth, 0]
              >;
            }[keyof Value & string];

type KindOf<Value> = Value extends Date
  ? "a Date, which is read back as text"
  : Value extends bigint
    ? "a bigint"
    : Value extends symbol
      ? "a symbol"
      : "a method, which is lost";
