import type { ModelError } from "../../values/errors/model-error.ts";
import type { Following } from "./follows.ts";
import type { Incomplete, KeyAdvice, Lacking, NoKeyParts, Unfinished } from "./missing-members.ts";
import type {
  DerivedNames,
  EntityShape,
  IndexDeclaration,
  OwnNames,
  OwnParts,
  Unchecked,
  ValueOf,
} from "./entity-shape.ts";

// Types that turn mistakes in a declaration into compile errors with a sentence. Each is a further member of the type
// that `defineEntity` or `defineKind` takes: `unknown` where nothing is wrong, otherwise an object that has the
// sentence at the place of the mistake.

/** Refuses settings that a declaration does not have: a misspelt setting would be ignored otherwise. */
type NoOther<Given, Known> = {
  readonly [
    Name in Exclude<keyof Given, keyof Known>
  ]: ModelError<`there is no setting ${Name & string} here`>;
};

/** Every check of a declaration: `unknown` where nothing is wrong. */
export type Checked<Given extends Unchecked<EntityShape>, Known, Base extends EntityShape = NoBase> = ([
  Exclude<keyof Given, keyof Known> | Unfinished<Given, Known> | Misnamed<Given, MemberNames<Base>>,
] extends [never]
  ? unknown
  : Incomplete<Given, Known, Lacking<Given, Known>> &
      NoOther<Given, Known> &
      NamedOnce<Given, MemberNames<Base>>) &
  ([keyof Given & ("version" | "indexes" | "children" | "kind" | "notStored" | "scopedBy")] extends [never]
    ? unknown
    : ScopedByKnown<Given, MemberNames<Given>> &
        Following<Given, Base["properties"]> &
        IndexedBy<Given, Base> &
        ChildrenBelow<Given, Base> &
        KindStored<Given> &
        NotStoredOnce<Given, MemberNames<Base>>);

/** What a class inherits that is no kind. */
type NoBase = { readonly partitionKey: {}; readonly rowKey: {}; readonly properties: {} };

/** The names of a shape's members that have values. */
type MemberNames<S extends Unchecked<EntityShape>> =
  | OwnNames<S["partitionKey"]>
  | OwnNames<S["rowKey"]>
  | keyof S["properties"];

/** Members that are declared twice, derived parts that are made from nothing, and names of the service. */
type Misnamed<Given extends Unchecked<EntityShape>, Inherited extends PropertyKey> =
  | TwiceInKeys<Given, Inherited>
  | TwiceStored<Given, Inherited>
  | Exclude<
      DerivedNames<Given["partitionKey"]> | DerivedNames<Given["rowKey"]>,
      MemberNames<Given> | Inherited
    >
  | Unfit<Given["partitionKey"], Given["properties"]>
  | Unfit<Given["rowKey"], Given["properties"]>
  | StoredTwice<Given["properties"]>
  | Reserved<Given["properties"]>;

type NamedOnce<Given extends Unchecked<EntityShape>, Inherited extends PropertyKey> = {
  readonly partitionKey?: Unfounded<Underived<Given["partitionKey"], MemberNames<Given> | Inherited>> &
    Sentences<
      Unfit<Given["partitionKey"], Given["properties"]>,
      "has another type than this key format takes"
    > &
    KeyAdvice<Given["partitionKey"], NoKeyParts<Given["partitionKey"]>>;
  readonly rowKey?: KeyAdvice<Given["rowKey"], NoKeyParts<Given["rowKey"]>> &
    Sentences<TwiceInKeys<Given, Inherited>, "is declared already: a property is one part of one key"> &
    Unfounded<Underived<Given["rowKey"], MemberNames<Given> | Inherited>> &
    Sentences<Unfit<Given["rowKey"], Given["properties"]>, "has another type than this key format takes">;
  readonly properties?: Sentences<
    TwiceStored<Given, Inherited>,
    "is declared already, and the key or the base stores it: leave it out here"
  > &
    Sentences<
      StoredTwice<Given["properties"]>,
      "is stored under the name of another property: choose another stored name"
    > &
    Sentences<
      Reserved<Given["properties"]>,
      'is a name that the service or every object has: take another, and .named("…") if rows have it'
    >;
};

type Sentences<Names extends PropertyKey, Sentence extends string> = {
  readonly [Name in Names & string]: ModelError<`${Name} ${Sentence}`>;
};

type Unfounded<Names extends PropertyKey> = {
  readonly [
    Name in Names & string
  ]: ModelError<`${Name} is derived from a property that is not declared: declare it in properties or the other key`>;
};

type TwiceInKeys<Given extends Unchecked<EntityShape>, Inherited> =
  | Surely<Given["partitionKey"], Common<OwnNames<Given["rowKey"]>, OwnNames<Given["partitionKey"]>>>
  | Common<OwnNames<Given["rowKey"]>, Inherited>;

/** Of these parts, those that are surely no derived ones, as a format of any type might be. */
type Surely<Parts, Names> = {
  [Name in Names & keyof Parts]: 0 extends 1 & ValueOf<Parts[Name]> ? never : Name;
}[Names & keyof Parts];

type TwiceStored<Given extends Unchecked<EntityShape>, Inherited> = Common<
  keyof Given["properties"],
  OwnNames<Given["partitionKey"]> | OwnNames<Given["rowKey"]> | Inherited
>;

/** The names in both; if the names of a declaration may be any text, nothing is known. */
type Common<Names, Others> = string extends Names | Others ? never : Names & Others & string;

/** Derived parts that do not accept the type of their property. */
type Unfit<Parts, Properties> = [DerivedNames<Parts> & keyof Properties] extends [never]
  ? never
  : {
      [Name in DerivedNames<Parts> & keyof Properties & keyof Parts]: [ValueOf<Properties[Name]>] extends [
        ValueOf<Parts[Name]>,
      ]
        ? never
        : Name;
    }[DerivedNames<Parts> & keyof Properties & keyof Parts] &
      string;

/** Properties that are stored under the name of another one. */
type StoredTwice<Properties> = [
  Extract<Properties[keyof Properties], { readonly storedName: string }>,
] extends [never]
  ? never
  : {
      [Name in keyof Properties]: Properties[Name] extends { readonly storedName: infer Stored }
        ? Shared<Exclude<StoredBy<Properties, Stored>, Name>, Name>
        : never;
    }[keyof Properties] &
      string;

type Shared<Others, Name> = [Others] extends [never] ? never : Name;

/** The properties that are stored under a name. */
type StoredBy<Properties, Stored> = {
  [Name in keyof Properties]: Properties[Name] extends { readonly storedName: infer Own }
    ? Own extends Stored
      ? Name
      : never
    : Name extends Stored
      ? Name
      : never;
}[keyof Properties];

/** Refuses a property where the kind is stored. */
type KindStored<Given> = Given extends { readonly kind: unknown; readonly properties: infer Properties }
  ? Given extends { readonly kindProperty: string }
    ? unknown
    : {
        readonly properties: {
          readonly [
            Name in KnownNames<Properties> & "Kind"
          ]: ModelError<"Kind is where the kind is stored: take another name, or another kindProperty">;
        };
      }
  : unknown;

type KnownNames<Properties> = string extends keyof Properties ? never : keyof Properties;

/** Refuses a scope by a property that the class does not have. */
type ScopedByKnown<Given, Names> = Given extends { readonly scopedBy: infer Name extends string }
  ? [Exclude<Name, Names>] extends [never]
    ? unknown
    : { readonly scopedBy: ModelError<`there is no property ${Exclude<Name, Names>} here`> }
  : unknown;

/** Refuses properties that are declared as stored and as not stored. */
type NotStoredOnce<Given extends Unchecked<EntityShape>, Inherited extends PropertyKey> = Given extends {
  readonly notStored: readonly (infer Name)[];
}
  ? [Common<Name, MemberNames<Given> | Inherited>] extends [never]
    ? unknown
    : {
        readonly notStored: ModelError<`${Common<Name, MemberNames<Given> | Inherited>} is declared as stored as well: keep what is meant`>;
      }
  : unknown;

/** Derived parts, such as the month of a date, hold less than their property, which is declared elsewhere as well. */
type Underived<Parts, Declared> = Exclude<DerivedNames<Parts>, Declared>;

/** Names that the service and objects have for themselves. */
type Reserved<Properties> = string extends keyof Properties
  ? never
  : keyof Properties &
      // oxlint-disable-next-line typescript/no-wrapper-object-types -- the names that every object has
      ("PartitionKey" | "RowKey" | "Timestamp" | keyof Object | "then" | "toJSON" | "prototype");

/** The members of a shape that have values, by name. */
type Members<S extends Unchecked<EntityShape>> = OwnParts<S["partitionKey"]> &
  OwnParts<S["rowKey"]> &
  S["properties"];

/** Refuses indexes over unknown properties, by formats that do not fit, with unknown settings, or without a prefix. */
type IndexedBy<Given extends Unchecked<EntityShape>, Base extends EntityShape = NoBase> = Given extends {
  readonly indexes: infer Indexes extends Readonly<Record<string, IndexDeclaration>>;
}
  ? {
      readonly indexes: {
        readonly [Index in keyof Indexes]: NoOther<Indexes[Index], IndexDeclaration> & {
          readonly rowKey: Prefixed<Indexes[Index]["rowKey"]> &
            FittingParts<Indexes[Index]["rowKey"], Members<Given> & Members<Base>>;
          readonly copy?: Copied<
            Indexes[Index]["copy"],
            keyof Given["properties"] | keyof Base["properties"]
          >;
        };
      };
    }
  : unknown;

type FittingParts<Parts, Types> = {
  readonly [Name in keyof Parts as Parts[Name] extends { readonly literal: string } ? never : Name]: [
    TypeAt<Types, Name>,
  ] extends [never]
    ? ModelError<`there is no property ${Name & string} here`>
    : Fits<TypeAt<Types, Name>, Parts[Name]> extends true
      ? unknown
      : ModelError<`this key format does not take the values of ${Name & string}`>;
};

/** The type of a property, or of a leaf by its path: `address.city`. */
type TypeAt<Types, Name> = Name extends keyof Types
  ? Types[Name]
  : Name extends `${infer Holder}.${infer Path}`
    ? Holder extends keyof Types
      ? Types[Holder] extends { readonly leaves: infer Leaves }
        ? TypeAt<Leaves, Path>
        : never
      : never
    : never;

type Fits<Type, Format> = Type extends { readonly compared: "none" }
  ? false
  : [ValueOf<Type>] extends [ValueOf<Format>]
    ? true
    : false;

type Copied<Copy, Names> = Copy extends readonly (infer Name)[]
  ? [Exclude<Name, Names>] extends [never]
    ? unknown
    : ModelError<`there is no property ${Exclude<Name, Names> & string} to copy`>
  : unknown;

type Prefixed<Parts> = true extends {
  [Name in keyof Parts]: Parts[Name] extends { readonly literal: string } | { readonly prefix: string }
    ? true
    : false;
}[keyof Parts]
  ? unknown
  : ModelError<'an index begins with a text of its own: write constant("AGE:", format) for its first part'>;

/** Refuses lists of children if their keys do not start with the parent's. */
type ChildrenBelow<Given extends Unchecked<EntityShape>, Base extends EntityShape = NoBase> = Given extends {
  readonly children: infer Lists;
}
  ? {
      readonly children: {
        readonly [List in keyof Lists]: Lists[List] extends () => {
          readonly shape: infer Child extends EntityShape & { readonly table?: string };
        }
          ? SameTable<Child, Given> &
              BelowKey<Child, Given["partitionKey"] & Base["partitionKey"], Given["rowKey"] & Base["rowKey"]>
          : unknown;
      };
    }
  : unknown;

type SameTable<Child, Parent> = Child extends { readonly table: infer Own extends string }
  ? Parent extends { readonly table: infer Table extends string }
    ? Lowercase<Own> extends Lowercase<Table>
      ? unknown
      : ModelError<"children are stored in the table of their parent">
    : unknown
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
