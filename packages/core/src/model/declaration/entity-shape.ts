import type { KeyFormat } from "../../values/keys/key-format.ts";
import type { ChildIn, Children, IsChildren } from "./children.ts";
import type { EntityClass, IndexCopy, IndexState, UniqueOver } from "./entity-definition.ts";
import type { AnyPropertyType, PropertyType } from "./property-type.ts";

/** A key part in a definition: a key format, or `text()` for unconverted text. */
// oxlint-disable-next-line typescript/no-explicit-any -- any value type
export type KeyPartType = KeyFormat<any> | PropertyType<string>;

/**
 * The part of a definition that determines types: keys in order, properties, and the properties that reads and saves
 * assign.
 */
export interface EntityShape {
  /**
   * The parts of the PartitionKey, in order, each with its format.
   *
   * ```ts
   * class Post extends defineEntity({
   *   table: "Posts",
   *   partitionKey: { channel: text(), postedOn: month },
   *   rowKey: { postedOn: newestFirst },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly partitionKey: Readonly<Record<string, KeyPartType>>;
  /**
   * The parts of the RowKey, in order, each with its format.
   *
   * ```ts
   * class Entry extends defineEntity({
   *   table: "Entries",
   *   partitionKey: { owner: text() },
   *   rowKey: { year: padded(4), id: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly rowKey: Readonly<Record<string, KeyPartType>>;
  /**
   * The stored properties, each with its type.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: text() },
   *   properties: { name: text(), age: int32().optional(), joined: dateTime() },
   * }) {}
   * ```
   */
  readonly properties: Readonly<Record<string, AnyPropertyType>>;
  /**
   * Secondary indexes by name, each with the key parts that its rows are sorted by.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { age: int32() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
   * }) {}
   * ```
   */
  readonly indexes?: Readonly<Record<string, IndexDeclaration>>;
  /**
   * Properties that hold children, and the class of each: `{ comments: () => Comment }`, or `{ lines: owned(() => Line) }`
   * for a list that is saved with its parent. Instances have them as `comments?: Children<Comment>`; `include` assigns
   * them. If the children are kinds of this class, TypeScript cannot
   * infer the circular type: write `(): EntityClass => Comment`, and `declare comments?: Children<Comment>` in the
   * class body.
   *
   * ```ts
   * class Post extends defineEntity({
   *   table: "Posts",
   *   kind: "Post",
   *   partitionKey: { channel: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   *   children: { comments: () => Comment },
   * }) {}
   * class Comment extends defineEntity({
   *   table: "Posts",
   *   kind: "Comment",
   *   partitionKey: { channel: text() },
   *   rowKey: { id: text(), no: padded(4) },
   *   properties: { text: text() },
   * }) {}
   * ```
   */
  readonly children?: Readonly<Record<string, () => EntityClass>>;
  /**
   * A property that receives the entity's ETag. Instances have it as `etag?: string`.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   partitionKey: { owner: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   *   etagProperty: "etag",
   * }) {}
   * await createTables(storage, [Note]);
   * const note = context.create(Note, { owner: "ann", id: "1" });
   * await context.saveChanges();
   * console.log(note.etag === context.entry(note).etag); // → true
   * ```
   */
  readonly etagProperty?: string;
  /**
   * A property that receives the time of the last write. Instances have it as `storedAt?: Date`.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   partitionKey: { owner: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   *   timestampProperty: "storedAt",
   * }) {}
   * await createTables(storage, [Note]);
   * context.create(Note, { owner: "ann", id: "1" });
   * await context.saveChanges();
   * const [note] = await new TableContext(storage).query(Note).where({ owner: "ann" }).toArray();
   * console.log(note?.storedAt instanceof Date); // → true
   * ```
   */
  readonly timestampProperty?: string;
  /**
   * The property that the scope of a context sets: new instances and keys may leave it out.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   partitionKey: { tenant: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   *   scopedBy: "tenant",
   * }) {}
   * const own = new TableContext(storage, { scope: { tenant: "acme" } });
   * console.log(own.create(Note, { id: "1" }).tenant); // → acme
   * ```
   */
  readonly scopedBy?: string;
}

/** A declaration before it is checked: any member may be missing, and a key part may be of any type. */
export type Unchecked<Declaration> = {
  readonly [Member in keyof Declaration]?: Member extends "partitionKey" | "rowKey"
    ? Readonly<Record<string, unknown>>
    : Declaration[Member];
};

/** The shape of a declaration; any shape if the declaration is wrong, which its check reports. */
export type DeclaredShape<Declaration> = Declaration extends EntityShape ? Declaration : EntityShape;

/** A secondary index: for each entity, one index row in the same partition, with a RowKey made of these parts. */
export interface IndexDeclaration {
  /**
   * The key parts that sort the index rows, in order. The first starts with a literal prefix of this index:
   * `{ age: constant("AGE:", padded(3)) }`. An entity that lacks a value for one of the parts has no index row.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { age: int32() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
   * }) {}
   * ```
   */
  readonly rowKey: Readonly<Record<string, KeyPartType>>;
  /**
   * The properties that index rows hold: `"all"` (default), some properties, or `"none"`. Other properties are read
   * from the entities' own rows, 16 at a time.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { name: text(), age: int32(), notes: text() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) }, copy: ["name"] } },
   * }) {}
   * ```
   */
  readonly copy?: IndexCopy;
  /**
   * Whether the values must be unique, within a partition or `over` the table.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { email: text() },
   *   indexes: { byEmail: { rowKey: { email: constant("MAIL:", text()) }, copy: "none", unique: true } },
   * }) {}
   * ```
   */
  readonly unique?: boolean;
  /**
   * Among which entities a unique value is unique: those of one `"partition"` (default), or of the complete `"table"`.
   * Over the table, a save reserves a new value before it stores the entity: one more request. Saves of the table
   * then have a marker, as with `proof: "marker"`.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { email: text() },
   *   indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, unique: true, over: "table" } },
   * }) {}
   * ```
   */
  readonly over?: UniqueOver;
  /**
   * Set it to `"retired"` to stop using an index: its rows are neither written nor read. Storage records all other
   * states, except in tables with `indexStates: "declared"`, where the default is `"ready"` and a new index starts as
   * `"building"`.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { age: int32() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) }, state: "retired" } },
   * }) {}
   * ```
   */
  readonly state?: IndexState;
  /**
   * The version of the class that adds the index. Its rows are written from then on, and read only once no older version is
   * supported, since older releases do not write them: build it then. Until then, a unique value is not enforced.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   version: upgrades({ name: text() }).to(2, add("age", int32(), 0)).supports(1),
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { name: text(), age: int32() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) }, since: 2 } },
   * }) {}
   * ```
   */
  readonly since?: number;
}

/** The host type of a property type or key format. */
export type ValueOf<T> = T extends { readonly serializer: { decode(...args: never[]): infer V } }
  ? V
  : T extends KeyFormat<infer V>
    ? V
    : never;

type Simplify<T> = { [K in keyof T]: T[K] } & {};
type OptionalNames<P> = {
  [K in keyof P]: P[K] extends { readonly presence: "optional" } ? K : never;
}[keyof P];
type DefaultNames<P> = {
  [K in keyof P]: P[K] extends { readonly presence: "default" | "filled" } ? K : never;
}[keyof P];
type GeneratedNames<P> = {
  [K in keyof P]: P[K] extends { generate(): unknown } | { readonly keyFormat: { generate(): unknown } }
    ? K
    : never;
}[keyof P];
type LiteralNames<P> = { [K in keyof P]: P[K] extends { readonly literal: string } ? K : never }[keyof P];
export type DerivedNames<P> = {
  [K in keyof P]: P[K] extends { readonly isDerived: true } ? K : never;
}[keyof P];
/** The key parts with values that are read back from the key. */
export type OwnParts<P> = Omit<P, DerivedNames<P>>;
/** The names of these parts. */
export type OwnNames<P> = Exclude<keyof P, DerivedNames<P>>;
type Values<P, Names extends keyof P = keyof P> = { -readonly [K in Names]: ValueOf<P[K]> };
type MaybeValues<P, Names extends keyof P> = { -readonly [K in Names]?: ValueOf<P[K]> | undefined };

/** A name that TypeScript knows; never for a setting that is absent, or of type `string`. */
type KnownName<Setting> = Setting extends string ? (string extends Setting ? never : Setting) : never;

/**
 * Properties that reads and saves assign: ETag, Timestamp and children. New instances don't take them. The parameters
 * are settings instead of a shape, since the compiler then resolves the type once for all classes without these
 * settings.
 */
type AssignedProperties<EtagName, TimestampName, ChildClasses> = {
  [Name in KnownName<EtagName>]?: string | undefined;
} & {
  [Name in KnownName<TimestampName>]?: Date | undefined;
} & {
  -readonly [Name in keyof ChildClasses as KnownName<Name>]?: ListOf<ChildClasses[Name]> | undefined;
};
type ListOf<Of> = Of extends () => EntityClass<infer Child> ? Children<Child> : never;

/**
 * The members of an instance: keys, properties, and the properties named by `etagProperty`, `timestampProperty` and
 * `children`.
 */
export type InstanceOf<S extends EntityShape> = Simplify<
  Values<OwnParts<S["partitionKey"]>> &
    Values<OwnParts<S["rowKey"]>> &
    Values<S["properties"], Exclude<keyof S["properties"], OptionalNames<S["properties"]>>> &
    MaybeValues<S["properties"], OptionalNames<S["properties"]>> &
    AssignedProperties<S["etagProperty"], S["timestampProperty"], S["children"]>
>;

type NewOfPlain<P> = Values<P, Exclude<keyof P, OptionalNames<P> | DefaultNames<P>>> &
  MaybeValues<P, OptionalNames<P> | DefaultNames<P>>;
type NotNeeded<P> = OptionalNames<P> | DefaultNames<P> | LiteralNames<P>;
type NewOfPart<P> = Values<P, Exclude<keyof P, NotNeeded<P>>> & MaybeValues<P, NotNeeded<P>>;

/** The values of new embedded objects may be plain ones. */
type NewOfProperties<P> = [Extract<P[keyof P], { readonly leaves: unknown }>] extends [never]
  ? NewOfPlain<P>
  : NewOfPlain<Omit<P, EmbeddedNames<P>>> & {
      [K in Exclude<EmbeddedNames<P>, OptionalNames<P>>]: NewObject<P[K]>;
    } & { [K in EmbeddedNames<P> & OptionalNames<P> & keyof P]?: NewObject<P[K]> | undefined };
type EmbeddedNames<P> = { [K in keyof P]: P[K] extends { readonly leaves: unknown } ? K : never }[keyof P] &
  keyof P;
type NewObject<Type> = Type extends { readonly leaves: infer Leaves }
  ? ValueOf<Type> | Simplify<NewOfProperties<Leaves>>
  : never;

/** The values that a new instance requires: keys and required properties. Literal and generated parts and defaults are filled in. */
export type NewOfShape<S extends EntityShape> = WithoutScope<
  Simplify<NewOfKey<S["partitionKey"]> & NewOfKey<S["rowKey"]> & NewOfProperties<S["properties"]>>,
  S["scopedBy"]
>;

/** Values that may leave out those that the scope of a context sets. */
type WithoutScope<Values, Property> = string extends Property ? Values : WithOptional<Values, Property>;

/** Generated parts may be left out of a new entity. */
type NewOfKey<P> = Values<OwnParts<P>, Exclude<keyof OwnParts<P>, NotNeeded<P> | GeneratedNames<P>>> &
  MaybeValues<OwnParts<P>, (NotNeeded<P> | GeneratedNames<P>) & keyof OwnParts<P>>;

type NewOfKeys<S extends EntityShape> = NewOfPart<OwnParts<S["partitionKey"]>> &
  NewOfPart<OwnParts<S["rowKey"]>>;
/** Stored properties that a key part is derived from. */
type SourceNames<S extends EntityShape> = (DerivedNames<S["partitionKey"]> | DerivedNames<S["rowKey"]>) &
  keyof S["properties"];

/** The key of one entity: every key part except literals, and the properties that derived parts are made from. */
export type KeyOfShape<S extends EntityShape> = WithoutScope<
  Simplify<NewOfKeys<S> & Values<S["properties"], SourceNames<S>>>,
  S["scopedBy"]
>;

/** A class made by `defineEntity`. */
export interface DefinedEntity<S extends EntityShape> {
  new (values?: NewOfShape<S>): InstanceOf<S> & KeyNames<S>;
  readonly shape: S;
}

/**
 * A class made by `defineKind`: its base entity with additional members. The base's key parts are optional, since a
 * member of a list is made without the key parts of its parent.
 */
export interface DefinedKind<Base extends object, S extends EntityShape> {
  new (values?: WithOptional<NewOfShape<S>, KeyPartsOf<Base>>): Base & InstanceOf<S> & KeyNames<S>;
  readonly shape: S;
}

declare const keyPart: unique symbol;

/**
 * The type of a key part in a decorated class: `@PartitionKey() channel!: Key<string>`. TypeScript cannot see decorators,
 * but it sees this type: `find`, `create` and `removeByKey` then require these values. Values of the plain type are
 * assignable.
 */
export type Key<Value> = Value & { readonly [keyPart]?: true };

declare const generatedPart: unique symbol;

/**
 * The type of a key part in a decorated class that new entities may leave out: its format generates it.
 *
 * @example
 * ```ts
 * @Table("Customers")
 * class Customer {
 *   @PartitionKey() tenant!: Key<string>;
 *   @RowKey(ulid) id!: GeneratedKey<string>;
 * }
 * ```
 */
export type GeneratedKey<Value> = Key<Value> & { readonly [generatedPart]?: true };

declare const scopedPart: unique symbol;

/**
 * The type of a key part in a decorated class that the scope of a context sets: new entities and keys may leave it out.
 *
 * @example
 * ```ts
 * @Table("Orders", { scopedBy: "tenant" })
 * class Order {
 *   @PartitionKey() tenant!: ScopedKey<string>;
 *   @RowKey() id!: Key<string>;
 * }
 * ```
 */
export type ScopedKey<Value> = Key<Value> & { readonly [scopedPart]?: true };

declare const embeddedPart: unique symbol;

/**
 * The type of an embedded object in a decorated class: `@Embedded(() => Address) address!: Embedded<Address>`. It lets
 * conditions compare its leaves; objects of the plain type are assignable.
 */
export type Embedded<Value> = Value & { readonly [embeddedPart]?: true };

/** Whether a type is one of an embedded object. */
export type IsEmbedded<Value> = typeof embeddedPart extends keyof Value ? true : false;

/**
 * Declares the indexes of a decorated class in its type: `declare readonly [indexNames]?: "byAge" | "byClub"`. Nothing
 * is stored under it.
 *
 * ```ts
 * @Table("People")
 * @Index("byAge", { rowKey: { age: constant("AGE:", padded(3)) } })
 * class Person {
 *   declare readonly [indexNames]?: "byAge";
 *   @PartitionKey() club!: string;
 *   @RowKey(constant("ID:", padded(4))) id!: number;
 *   @Int32() age!: number;
 * }
 * ```
 */
export const indexNames: unique symbol = Symbol("indexNames");

declare const keyNames: unique symbol;
declare const definedIndexes: unique symbol;
declare const comparedNames: unique symbol;
declare const newValues: unique symbol;
declare const systemNames: unique symbol;
declare const shapeName: unique symbol;

/** The properties that are compared in fewer ways than their values allow. */
type LessCompared<P> = {
  [K in keyof P]: P[K] extends { readonly compared: "values" } ? never : K;
}[keyof P];
export type SystemNames<S extends EntityShape> =
  | KnownName<S["etagProperty"]>
  | KnownName<S["timestampProperty"]>;
type NameSet<Names extends PropertyKey> = Readonly<Record<Names, true>>;
type NamesIn<Entity, Brand extends keyof Entity> = keyof Exclude<Entity[Brand], undefined>;

/**
 * Declares in an instance's type which properties are the key, which cannot be compared in queries, and the indexes. Each
 * is a set of names instead of a union, since those of a kind and of its base are combined.
 */
export interface KeyNames<S extends EntityShape> {
  readonly [keyNames]?: NameSet<keyof OwnParts<S["partitionKey"]> | keyof OwnParts<S["rowKey"]>>;
  readonly [comparedNames]?: {
    readonly [K in LessCompared<S["properties"]>]: S["properties"][K] extends {
      readonly leaves: infer Leaves;
    }
      ? Leaves
      : S["properties"][K]["compared"];
  };
  readonly [systemNames]?: NameSet<SystemNames<S>>;
  readonly [newValues]?: NewOfShape<S>;
  /** A function type: a kind also has its base's, and inference finds the last one, which is its own. */
  readonly [shapeName]?: (shape: S) => void;
  readonly [definedIndexes]?: NameSet<
    S extends { readonly indexes: infer Indexes } ? keyof Indexes & string : never
  >;
}

/** The names of an entity's indexes if its class declares them to TypeScript, otherwise any text. */
export type IndexNamesOf<Entity> = typeof definedIndexes extends keyof Entity
  ? NamesIn<Entity, typeof definedIndexes>
  : typeof indexNames extends keyof Entity
    ? Exclude<Entity[typeof indexNames], undefined>
    : string;

/** The properties that are stored as JSON or converted, if the class declares them to TypeScript. */
export type LessComparedOf<Entity> = typeof comparedNames extends keyof Entity
  ? NamesIn<Entity, typeof comparedNames>
  : never;

/** The comparisons that queries support for such a property. */
export type ComparedOf<Entity, Name> = typeof comparedNames extends keyof Entity
  ? Exclude<Entity[typeof comparedNames], undefined>[Name & NamesIn<Entity, typeof comparedNames>]
  : never;

/** The properties that receive ETag and Timestamp, if the class declares them to TypeScript. */
export type SystemNamesOf<Entity> = typeof systemNames extends keyof Entity
  ? keyof Exclude<Entity[typeof systemNames], undefined>
  : never;

/** The shape of an entity, if its class declares it to TypeScript; else never. */
export type ShapeOf<Entity> = typeof shapeName extends keyof Entity
  ? Entity extends { readonly [shapeName]?: (shape: infer S) => void }
    ? S
    : never
  : never;

/** The data of an entity: its properties without methods. */
export type DataOf<Entity> = {
  [
    K in keyof Entity as K extends string
      ? Entity[K] extends (...args: never[]) => unknown
        ? never
        : K
      : never
  ]: Entity[K];
};

/** The key properties of an entity, if its class declares them to TypeScript. */
export type KeyPartsOf<Entity> = (typeof keyNames extends keyof Entity
  ? NamesIn<Entity, typeof keyNames>
  : { [K in keyof Entity]: typeof keyPart extends keyof Entity[K] ? K : never }[keyof Entity]) &
  keyof Entity;

/**
 * The key of an entity class: exact if the class declares its key parts to TypeScript, otherwise any of its properties.
 */
export type KeyOf<Class extends EntityClass> = Class extends {
  readonly shape: infer S extends EntityShape;
}
  ? KeyOfShape<S>
  : KeyOfInstance<InstanceType<Class>, KeyPartsOf<InstanceType<Class>>>;

type KeyOfInstance<Entity, Names extends keyof Entity> = [Names] extends [never]
  ? Partial<DataOf<Entity>>
  : [ScopedOf<Entity>] extends [never]
    ? Pick<Entity, Names>
    : WithOptional<Pick<Entity, Names>, ScopedOf<Entity>>;

/**
 * The values of a new entity: the required ones if the class declares them to TypeScript, otherwise any of its
 * properties. In a decorated class, TypeScript knows the key parts that are declared as `Key<…>`.
 */
export type NewOf<Class extends EntityClass> = Class extends {
  readonly shape: infer S extends EntityShape;
}
  ? [KnownName<keyof S["children"]>] extends [never]
    ? NewOfShape<S>
    : Simplify<NewOfShape<S> & NewLists<S["children"], keyof S["partitionKey"] | keyof S["rowKey"]>>
  : NewOfInstance<InstanceType<Class>, KeyPartsOf<InstanceType<Class>>>;

/** Members of owned lists: instances, or their values, which need no key parts of the parent. */
type NewLists<Lists, ParentKeys> = {
  [List in keyof Lists as Lists[List] extends { readonly isOwned: true } ? List : never]?:
    | readonly NewMember<Lists[List], ParentKeys>[]
    | undefined;
};
type NewMember<Of, ParentKeys> = Of extends () => infer Class
  ? Class extends EntityClass
    ? InstanceType<Class> | WithOptional<NewOf<Class>, ParentKeys>
    : never
  : never;
type WithOptional<Values, Names> = Simplify<
  Omit<Values, Names & keyof Values> & Partial<Pick<Values, Names & keyof Values>>
>;

/** The key parts of a decorated class that are declared as `GeneratedKey<…>`. */
type GeneratedOf<Entity> = {
  [K in keyof Entity]: typeof generatedPart extends keyof Entity[K] ? K : never;
}[keyof Entity];

/** The key parts of a decorated class that are declared as `ScopedKey<…>`. */
type ScopedOf<Entity> = {
  [K in keyof Entity]: typeof scopedPart extends keyof Entity[K] ? K : never;
}[keyof Entity];

type NewOfInstance<Entity, Names extends keyof Entity> = Simplify<
  Pick<Entity, Exclude<Names, GeneratedOf<Entity> | ScopedOf<Entity>>> & {
    [Name in keyof DataOf<Entity>]?: NewValue<Entity, DataOf<Entity>[Name]> | undefined;
  }
>;

/**
 * The values of a new member of a list, without the key parts of its parent: those that are required, as far as the
 * classes declare them to TypeScript.
 */
export type MemberValues<Parent, Child> = typeof newValues extends keyof Child
  ? WithOptional<Exclude<Child[typeof newValues], undefined>, KeyPartsOf<Parent>>
  : Simplify<
      Pick<Child, Exclude<KeyPartsOf<Child>, KeyPartsOf<Parent> | GeneratedOf<Child> | ScopedOf<Child>>> & {
        [Name in keyof DataOf<Child>]?: DataOf<Child>[Name] | undefined;
      }
    >;

type NewValue<Parent, Value> =
  IsChildren<Value> extends true
    ? readonly (ChildIn<Value> | MemberValues<Parent, ChildIn<Value>>)[]
    :
        | Value
        | (IsEmbedded<Exclude<Value, undefined>> extends true ? DataOf<Exclude<Value, undefined>> : never);
