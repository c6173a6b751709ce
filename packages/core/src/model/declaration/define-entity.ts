import { ModelError } from "../../values/errors/model-error.ts";
import type {
  ChildrenDefinition,
  EntityClass,
  EntityDefinition,
  IndexDefinition,
  KeyPartDefinition,
  KindDefinition,
  PropertyDefinition,
  TableOptions,
} from "./entity-definition.ts";
import type {
  DefinedEntity,
  DefinedKind,
  EntityShape,
  IndexDeclaration,
  DeclaredShape,
  Unchecked,
} from "./entity-shape.ts";
import { initialiserOf, initialisers, isLastGenerated, keepOthers } from "./initialise-instance.ts";
import { checkMembers, formatOfPart } from "./check-declaration.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";
import type { OwnedClass } from "./children.ts";
import type { Checked } from "./declared-types.ts";
import { definitionOf as inheritedDefinition, registerEntity } from "./model-registry.ts";
import { checkSettings, given, kindDefinition, settingNames } from "./settings.ts";

/** The declaration of an entity, as `defineEntity` takes it. */
export interface EntityDeclaration extends EntityShape, TableOptions {
  /**
   * 3 to 63 letters and digits, starting with a letter.
   *
   * ```ts
   * const Tag = defineEntity({
   *   table: "Tags",
   *   partitionKey: { group: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * });
   * ```
   */
  readonly table: string;
  /**
   * Discriminator value, if other classes share the table.
   *
   * ```ts
   * class Song extends defineEntity({
   *   table: "Media",
   *   kind: "Song",
   *   partitionKey: { album: text() },
   *   rowKey: { title: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly kind?: string | KindDefinition;
  /**
   * Schema version: a number, 1 or greater, or the `upgrades` that lead to it.
   *
   * ```ts
   * class Item extends defineEntity({
   *   table: "Items",
   *   version: upgrades({ Qty: int32() }).to(2, rename("Qty", "quantity")),
   *   partitionKey: { shop: text() },
   *   rowKey: { id: text() },
   *   properties: { quantity: int32() },
   * }) {}
   * ```
   */
  readonly version?: number | UpgradeChain;
  /**
   * Properties of the class that are not stored, such as a cache. A save refuses any other undeclared property.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   partitionKey: { owner: text() },
   *   rowKey: { id: text() },
   *   properties: { title: text() },
   *   notStored: ["isOpen"],
   * }) {
   *   isOpen = false;
   * }
   * ```
   */
  readonly notStored?: readonly string[];
  /**
   * Builds an empty instance of a subclass with required constructor arguments.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   partitionKey: { owner: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   *   create: (): object => new Note("unknown"),
   * }) {
   *   constructor(owner: string) {
   *     super();
   *     this.owner = owner;
   *   }
   * }
   * ```
   */
  readonly create?: () => object;
}

/** The declaration of one kind of a base entity: its discriminator and additional members. */
export interface KindDeclaration {
  /**
   * Discriminator value; `{ name, key: "prefix" }` also makes it the first part of the RowKey.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * class City extends defineKind(Place, { kind: { name: "City", formerly: ["Town"] } }) {}
   * ```
   */
  readonly kind: string | KindDefinition;
  /**
   * Key parts that follow the base's RowKey parts.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { city: text() },
   *   properties: {},
   * }) {}
   * class Street extends defineKind(Place, { kind: "Street", rowKey: { street: text() } }) {}
   * const gate = new Street({ country: "NO", city: "Oslo", street: "Gate" });
   * ```
   */
  readonly rowKey?: EntityShape["rowKey"];
  /**
   * Properties in addition to the base's.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * class City extends defineKind(Place, { kind: "City", properties: { population: int32() } }) {}
   * ```
   */
  readonly properties?: EntityShape["properties"];
  /**
   * Properties that hold children, as in `defineEntity`.
   *
   * ```ts
   * class Base extends defineEntity({
   *   table: "Orders",
   *   partitionKey: { tenant: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   * }) {}
   * class Order extends defineKind(Base, { kind: "Order", children: { lines: owned(() => Line) } }) {}
   * class Line extends defineKind(Base, { kind: "Line", rowKey: { no: padded(4) } }) {}
   * ```
   */
  readonly children?: Readonly<Record<string, () => EntityClass>>;
  /**
   * Secondary indexes of this kind, in addition to the base's.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: {},
   * }) {}
   * class Member extends defineKind(Person, {
   *   kind: "Member",
   *   properties: { email: text() },
   *   indexes: { byEmail: { rowKey: { email: constant("MAIL:", text()) }, unique: true } },
   * }) {}
   * ```
   */
  readonly indexes?: Readonly<Record<string, IndexDeclaration>>;
  /**
   * A property that receives the entity's ETag.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * class City extends defineKind(Place, { kind: "City", etagProperty: "etag" }) {}
   * console.log(new City({ country: "NO", name: "Oslo" }).etag); // → undefined
   * ```
   */
  readonly etagProperty?: string;
  /**
   * A property that receives the time of the last write.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * class City extends defineKind(Place, { kind: "City", timestampProperty: "storedAt" }) {}
   * console.log(new City({ country: "NO", name: "Oslo" }).storedAt); // → undefined
   * ```
   */
  readonly timestampProperty?: string;
  /**
   * Schema version: a number, 1 or greater, or the `upgrades` that lead to it.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * const chain = upgrades({ Size: int32() }).to(2, rename("Size", "population"));
   * class City extends defineKind(Place, {
   *   kind: "City",
   *   properties: { population: int32() },
   *   version: chain,
   * }) {}
   * ```
   */
  readonly version?: number | UpgradeChain;
  /**
   * Properties of the class that are not stored, in addition to the base's.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * class City extends defineKind(Place, { kind: "City", notStored: ["isVisible"] }) {
   *   isVisible = true;
   * }
   * ```
   */
  readonly notStored?: readonly string[];
  /**
   * Builds an empty instance of a subclass with required constructor arguments.
   *
   * ```ts
   * class Place extends defineEntity({
   *   table: "Places",
   *   partitionKey: { country: text() },
   *   rowKey: { name: text() },
   *   properties: {},
   * }) {}
   * class City extends defineKind(Place, { kind: "City", create: (): object => new City("NO") }) {
   *   constructor(country: string) {
   *     super();
   *     this.country = country;
   *   }
   * }
   * ```
   */
  readonly create?: () => object;
}

/** The shape of a kind: the base's, including its indexes, and the kind's own members. */
export type MergedShape<Base extends EntityShape, Added> = {
  readonly partitionKey: Base["partitionKey"];
  readonly rowKey: Merged<Base, Added, "rowKey">;
  readonly properties: Merged<Base, Added, "properties">;
} & (Base extends { readonly indexes: infer Indexes } ? { readonly indexes: Indexes } : unknown) &
  Pick<Base, keyof Base & ("kindProperty" | "scopedBy")> &
  Pick<Added, keyof Added & ("kind" | "indexes" | "children" | "etagProperty" | "timestampProperty")>;

type Merged<Base extends EntityShape, Added, Member extends "rowKey" | "properties"> = Added extends {
  readonly [Name in Member]: infer Own;
}
  ? Base[Member] & Own
  : Base[Member];

/**
 * Declares an entity. It returns a class that you can extend or use directly:
 * `class Blog extends defineEntity({ table: "Blogs", partitionKey: { channel: text() }, … }) {}`.
 *
 * Key parts are joined in the order that you write them.
 *
 * ```ts
 * class Photo extends defineEntity({
 *   table: "Photos",
 *   partitionKey: { album: text() },
 *   rowKey: { takenAt: newestFirst },
 *   properties: { title: text(), likes: int32().default(0) },
 * }) {}
 * const photo = new Photo({ album: "Oslo", takenAt: new Date(), title: "Harbour" });
 * console.log(photo.likes); // → 0
 * ```
 *
 * @throws ModelError `model.declaration`, `model.unknown-setting` or `model.property-type` immediately, other codes on
 *   first use. The message names the class, the property and the remedy
 */
export function defineEntity<const Declaration extends Unchecked<EntityDeclaration>>(
  // The checks come first: an error prints the beginning of a long type.
  declaration: Checked<Declaration, EntityDeclaration> & Declaration,
): DefinedEntity<DeclaredShape<Declaration>> {
  const declared = declaration as EntityDeclaration;
  checkEntity(declared);
  const initialise = initialiserOf(initialisers(declared));
  const entityClass = class {
    static readonly shape = declared;
    [name: string]: unknown;

    constructor(values?: Readonly<Record<string, unknown>>) {
      // Never run, but V8 counts it: V8 reserves space in instances for as many members as their constructors assign,
      // and reclaims the space that the first instances do not use. Members beyond that are stored apart: with them, a
      // search for changes took 1.06 to 1.13 times as long, and a tracked entity 3 % more memory
      // (`pnpm bench retained detect`).
      if (values === neverGiven)
        // prettier-ignore
        this["a"] = this["b"] = this["c"] = this["d"] = this["e"] = this["f"] = this["g"] = this["h"] =
        this["i"] = this["j"] = this["k"] = this["l"] = this["m"] = this["n"] = this["o"] = this["p"] = 0;
      initialise(this, values);
      if (values !== undefined && isLastGenerated(this, entityClass)) keepOthers(this, values);
    }
  };
  Object.defineProperty(entityClass, "name", { value: kindName(declared.kind) ?? declared.table });
  registerEntity(entityClass, (of) => entityDefinitionOf(declared, of.name || declared.table), {
    isGenerated: true,
  });
  return entityClass as unknown as DefinedEntity<DeclaredShape<Declaration>>;
}

/**
 * Declares one kind of a base entity, or a kind below another, with its own properties and additional RowKey parts:
 * `class City extends defineKind(Place, { kind: "City", … }) {}`.
 *
 * ```ts
 * class Place extends defineEntity({
 *   table: "Places",
 *   partitionKey: { country: text() },
 *   rowKey: { name: text() },
 *   properties: {},
 * }) {}
 * class City extends defineKind(Place, { kind: "City", properties: { mayor: text() } }) {}
 * const oslo = new City({ country: "NO", name: "Oslo", mayor: "Ann" });
 * ```
 *
 * @throws ModelError on first use. The message names the class, the property and the remedy
 */
export function defineKind<
  Base extends object,
  S extends EntityShape,
  const Declaration extends Unchecked<KindDeclaration>,
>(
  base: EntityClass<Base> & { readonly shape: S },
  declaration: Checked<Declaration, KindDeclaration, S> & Declaration,
): DefinedKind<Base, MergedShape<S, Declaration> extends infer M extends EntityShape ? M : S> {
  const declared = declaration as KindDeclaration;
  checkKind(base, declared);
  const added: EntityShape = {
    partitionKey: {},
    rowKey: declared.rowKey ?? {},
    properties: declared.properties ?? {},
  };
  const initialise = initialiserOf(initialisers(added));
  const Parent = base as unknown as new (values?: Readonly<Record<string, unknown>>) => object;
  const entityClass = class extends Parent {
    static readonly shape = {
      ...base.shape,
      kind: declaration.kind,
      rowKey: { ...base.shape.rowKey, ...added.rowKey },
      properties: { ...base.shape.properties, ...added.properties },
      children: { ...base.shape.children, ...declared.children },
    };

    constructor(values?: Readonly<Record<string, unknown>>) {
      super(values);
      initialise(this, values);
      if (values !== undefined && isLastGenerated(this, entityClass)) keepOthers(this, values);
    }
  };
  Object.defineProperty(entityClass, "name", { value: kindName(declared.kind) });
  registerEntity(entityClass, (of) => kindDefinitionOf(base, declared, of.name), {
    isGenerated: true,
  });
  return entityClass as never;
}

const neverGiven: Readonly<Record<string, unknown>> = {};

/**
 * @throws ModelError for the errors that the TypeScript compiler reports too, in programs that were not type-checked
 */
function checkEntity(declaration: EntityDeclaration): void {
  const { table } = (declaration ?? {}) as Partial<EntityDeclaration>;
  const name = typeof table === "string" ? table : "An entity";
  checkSettings("defineEntity(…)", declaration, settingNames.entity, name);
  if (typeof table !== "string")
    throw new ModelError(
      "model.no-table",
      'defineEntity(…) needs the name of a table. Write table: "Blogs".',
    );
  if (declaration.kind !== undefined) kindDefinition("defineEntity(…)", declaration.kind);
  checkMembers(name, { ...declaration }, ["partitionKey", "rowKey", "properties"]);
}

function checkKind(base: EntityClass, declaration: KindDeclaration): void {
  const known = kindName((declaration as Partial<KindDeclaration> | undefined)?.kind);
  checkSettings("defineKind(base, …)", declaration, settingNames.kind, known ?? "A kind");
  const { name } = kindDefinition("defineKind(base, …)", declaration.kind);
  if ((base as { shape?: unknown } | undefined)?.shape === undefined)
    throw new ModelError(
      "model.not-an-entity",
      `${name} is declared as a kind of something that defineEntity did not make. If it is imported, two files may import each other: put the base into a third file. Pass the base class: class Place extends defineEntity(…) {}. Below a decorated class, write class ${name} extends Base with @Kind("${name}").`,
      { entity: name },
    );
  const { rowKey = {}, properties = {} } = declaration;
  checkMembers(name, { rowKey, properties }, ["rowKey", "properties"]);
}

function entityDefinitionOf(declaration: EntityDeclaration, name: string): EntityDefinition {
  const { table, kind, version, create, children, partitionKey, rowKey, properties, ...rest } = declaration;
  const { notStored, etagProperty, timestampProperty, indexes, ...options } = rest;
  return {
    table,
    options: given(options),
    ...given({ version, create, notStored, etagProperty, timestampProperty }),
    ...(kind !== undefined && { kind: kindOf(kind) }),
    ...(children !== undefined && { children: childrenOf(children) }),
    partitionKey: keyParts(name, partitionKey),
    rowKey: keyParts(name, rowKey),
    properties: propertiesOf(properties),
    ...(indexes !== undefined && { indexes: indexesOf(name, indexes) }),
  };
}

/** What a kind declares, added to what its base does. */
function kindDefinitionOf(base: EntityClass, declaration: KindDeclaration, name: string): EntityDefinition {
  const { kind, rowKey = {}, properties = {}, children = {}, indexes = {}, notStored = [] } = declaration;
  const { version, create, etagProperty, timestampProperty } = declaration;
  const inherited = inheritedDefinition(base);
  return {
    ...inherited,
    ...given({ version, create, etagProperty, timestampProperty }),
    kind: kindOf(kind),
    rowKey: [...inherited.rowKey, ...keyParts(name, rowKey)],
    properties: [...inherited.properties, ...propertiesOf(properties)],
    indexes: [...(inherited.indexes ?? []), ...indexesOf(name, indexes)],
    children: [...(inherited.children ?? []), ...childrenOf(children)],
    notStored: [...(inherited.notStored ?? []), ...notStored],
  };
}

const childrenOf = (children: Readonly<Record<string, () => EntityClass>>): ChildrenDefinition[] =>
  Object.entries(children).map(([property, of]) => ({
    property,
    of,
    isOwned: (of as Partial<OwnedClass<EntityClass>>).isOwned === true,
  }));

const kindOf = (kind: string | KindDefinition): KindDefinition =>
  typeof kind === "string" ? { name: kind } : kind;

const kindName = (kind: string | KindDefinition | undefined): string | undefined =>
  typeof kind === "object" ? kind.name : kind;

const keyParts = (entity: string, parts: EntityShape["partitionKey"]): KeyPartDefinition[] =>
  Object.entries(parts).map(([property, part]) => ({
    property,
    format: formatOfPart(entity, property, part),
  }));

const indexesOf = (entity: string, indexes: Readonly<Record<string, IndexDeclaration>>): IndexDefinition[] =>
  Object.entries(indexes).map(([name, index]) => indexDefinition(entity, name, index));

/**
 * Converts an index declaration to the form that a model takes.
 *
 * @throws ModelError `model.declaration`, `model.unknown-setting`, `model.key-format`
 */
export function indexDefinition(entity: string, name: string, index: IndexDeclaration): IndexDefinition {
  checkSettings(`The index ${name} of ${entity}`, index, settingNames.index, entity);
  checkMembers(entity, { rowKey: index.rowKey }, ["rowKey"]);
  const { rowKey, ...settings } = index;
  return { name, ...settings, rowKey: keyParts(`${entity}.${name}`, rowKey) };
}

const propertiesOf = (properties: EntityShape["properties"]): PropertyDefinition[] =>
  Object.entries(properties).map(([name, type]) => ({ name, type }));
