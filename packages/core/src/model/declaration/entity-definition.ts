import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";
import type { AnyPropertyType } from "./property-type.ts";
import type { UndeclaredPolicy } from "./undeclared-policy.ts";

/** A class with instances that can be stored. */
// oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
export type EntityClass<Entity extends object = object> = abstract new (...args: any[]) => Entity;

/** An instance, not a class: classes have a `prototype`. */
export type AnInstance = object & { readonly prototype?: never };

/** How reads of a base class handle rows of a kind that no class declares. */
export type UnknownKindPolicy = "error" | "skip" | "base";

/** Settings of a table, shared by all kinds in it. */
export interface TableOptions {
  /**
   * The separator between the parts of both keys, or of each key; default `_`, and `!` if a part is `escaped`.
   *
   * ```ts
   * class Entry extends defineEntity({
   *   table: "Entries",
   *   separator: "|",
   *   partitionKey: { owner: text() },
   *   rowKey: { year: padded(4), id: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly separator?: string | { readonly partitionKey?: string; readonly rowKey?: string };
  /**
   * Stored name of the discriminator; default `Kind`.
   *
   * ```ts
   * class Song extends defineEntity({
   *   table: "Media",
   *   kind: "Song",
   *   kindProperty: "Type",
   *   partitionKey: { album: text() },
   *   rowKey: { title: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly kindProperty?: string;
  /**
   * Stored name of the schema version; default `SchemaVersion`.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   version: 2,
   *   versionProperty: "V",
   *   partitionKey: { owner: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly versionProperty?: string;
  /**
   * How reads of the base class handle rows of a kind that no class declares: `error` (default) throws, `skip` leaves
   * them out, and `base` returns instances of the base class. A save leaves other stored properties of such instances
   * unchanged.
   *
   * ```ts
   * class Media extends defineEntity({
   *   table: "Media",
   *   kind: "Media",
   *   unknownKind: "skip",
   *   partitionKey: { album: text() },
   *   rowKey: { title: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly unknownKind?: UnknownKindPolicy;
  /**
   * How Partita proves, after a lost response, that a write was applied; default `content`.
   *
   * ```ts
   * class Claim extends defineEntity({
   *   table: "Claims",
   *   proof: "marker",
   *   partitionKey: { job: text() },
   *   rowKey: { id: text() },
   *   properties: { worker: text() },
   * }) {}
   * ```
   */
  readonly proof?: Proof;
  /**
   * Whether messages can be sent with changes of the table's entities; default false. Each message is a row in the
   * entity's partition with a RowKey that starts with `~o~`; no entity's RowKey may start with it then.
   *
   * ```ts
   * class Payment extends defineEntity({
   *   table: "Payments",
   *   outbox: true,
   *   partitionKey: { account: text() },
   *   rowKey: { id: text() },
   *   properties: { amount: int64() },
   * }) {}
   * ```
   */
  readonly outbox?: boolean;
  /**
   * Where the states of indexes are stored; default `recorded`.
   *
   * ```ts
   * class Person extends defineEntity({
   *   table: "People",
   *   indexStates: "declared",
   *   partitionKey: { club: text() },
   *   rowKey: { id: constant("ID:", text()) },
   *   properties: { age: int32() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) }, state: "building" } },
   * }) {}
   * ```
   */
  readonly indexStates?: IndexStatesSource;
  /**
   * How a save handles values that the class does not declare; the context's setting when absent.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   undeclared: "ignore",
   *   partitionKey: { owner: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   * }) {}
   * ```
   */
  readonly undeclared?: UndeclaredPolicy;
  /**
   * The property that holds the scope of a row, such as `"tenant"`: a key part or a stored property. Contexts with a
   * `scope` read and write only rows with the scope's value. Contexts without a scope refuse the class, unless they set
   * `scope: "all"`.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   scopedBy: "tenant",
   *   partitionKey: { tenant: text() },
   *   rowKey: { id: text() },
   *   properties: {},
   * }) {}
   * const own = new TableContext(storage, { scope: { tenant: "acme" } });
   * console.log(own.create(Note, { id: "1" }).tenant); // → acme
   * ```
   */
  readonly scopedBy?: string;
  /**
   * Whether the rows belong to every scope, so contexts with a `scope` use all of them; default false.
   *
   * ```ts
   * class Country extends defineEntity({
   *   table: "Countries",
   *   unscoped: true,
   *   partitionKey: { region: text() },
   *   rowKey: { code: text() },
   *   properties: {},
   * }) {}
   * const own = new TableContext(storage, { scope: { tenant: "acme" } });
   * own.create(Country, { region: "Europe", code: "NO" });
   * ```
   */
  readonly unscoped?: boolean;
  /**
   * The class with its former keys, while `moveRows` moves its rows: reads find rows under both keys, and a save moves
   * the rows that it writes. Each part of the former key must also be a part of the new key, under the same name.
   *
   * ```ts
   * const post = { rowKey: { postedOn: newestFirst }, properties: { text: text() } } as const;
   * class MonthlyPost extends defineEntity({
   *   ...post,
   *   table: "MonthlyPosts",
   *   partitionKey: { channel: text(), postedOn: month },
   * }) {}
   * class WeeklyPost extends defineEntity({
   *   ...post,
   *   table: "WeeklyPosts",
   *   partitionKey: { channel: text(), postedOn: week },
   *   formerKeys: MonthlyPost,
   * }) {}
   * ```
   */
  readonly formerKeys?: EntityClass;
}

/**
 * Where the states of indexes are stored.
 *
 * - `recorded`: in the table `PartitaSchema` of the storage. `createTables` records the indexes of a table that it
 *   creates as ready, and `buildIndex` those that it has built. Queries don't use an index without a recorded state.
 * - `declared`: in the class, by the `state` of each index. For credentials that may not read `PartitaSchema`, such as
 *   a shared access signature for one table.
 */
export type IndexStatesSource = "recorded" | "declared";

/**
 * How Partita proves, after a lost response, that a write was applied.
 *
 * - `content`: rows have no additional data. A row that holds the values that were sent counts as proof, although
 *   another writer may have stored the same values.
 * - `marker`: every transaction also inserts a marker, a small row in its partition. The transaction can never be
 *   applied twice, and its outcome is known as soon as the storage can be reached: exactly once. It costs one small row
 *   for each transaction and a request to delete it. Use it for claims, locks and counters.
 */
type Proof = "content" | "marker";

/** One kind among several in a table. */
export interface KindDefinition {
  readonly name: string;
  /** Whether the name is also the first or the last part of the RowKey. */
  readonly key?: "prefix" | "suffix";
  /** Former names of the kind: rows with these names are read as this kind, and keep their name. */
  readonly formerly?: readonly string[];
  /** False if rows have no property for their kind: `key` or `when` decides. */
  readonly stored?: boolean;
  /** Decides whether a row is of this kind, if rows have no property for it. */
  readonly when?: (row: StoredEntity) => boolean;
}

/** One part of a key, as declared. */
export interface KeyPartDefinition {
  readonly property: string;
  readonly format: AnyKeyFormat;
}

/** One stored property, as declared. */
export interface PropertyDefinition {
  readonly name: string;
  readonly type: AnyPropertyType;
}

/** A property that holds children of another class. */
export interface ChildrenDefinition {
  readonly property: string;
  readonly of: () => EntityClass;
  /** Whether the list is part of its parent, so its members are saved and deleted with it. Otherwise it is a view. */
  readonly isOwned?: boolean;
}

/** A secondary index, as declared. */
export interface IndexDefinition {
  readonly name: string;
  /** The key parts that its rows are found and sorted by; the first starts with a literal prefix of this index. */
  readonly rowKey: readonly KeyPartDefinition[];
  /** The properties that its rows hold; default `all`. */
  readonly copy?: IndexCopy | undefined;
  /** Whether the values must be unique. */
  readonly unique?: boolean | undefined;
  /** Among which entities values are unique: those of a partition (default) or of the complete table. */
  readonly over?: UniqueOver | undefined;
  /** `retired`, or any state in tables with `indexStates: "declared"`, where the default is `ready`. */
  readonly state?: IndexState | undefined;
  /** The version that adds it. */
  readonly since?: number | undefined;
}

/** The entities that have unique values among each other: those of one partition, or all of the table. */
export type UniqueOver = "partition" | "table";

/** The properties that the rows of an index hold: all, some, or only the entity's key. */
export type IndexCopy = "all" | "none" | readonly string[];

/**
 * The state of an index.
 *
 * - `building`: its rows are written but not read, until `buildIndex` has added the rows of older entities.
 * - `ready`: its rows are written and read.
 * - `retired`: its rows are neither written nor read, until `dropIndex` has deleted them.
 */
export type IndexState = "building" | "ready" | "retired";

/** The declaration of a class, as decorators or `defineEntity` pass it on; `buildModel` validates it. */
export interface EntityDefinition {
  readonly table: string | undefined;
  readonly options: TableOptions;
  readonly kind?: KindDefinition;
  readonly version?: number | UpgradeChain;
  readonly partitionKey: readonly KeyPartDefinition[];
  readonly rowKey: readonly KeyPartDefinition[];
  readonly properties: readonly PropertyDefinition[];
  /** Secondary indexes; the indexes of a base class include its kinds. */
  readonly indexes?: readonly IndexDefinition[];
  /** Properties that hold children, and the class of each, which is resolved on first use. */
  readonly children?: readonly ChildrenDefinition[];
  /** Properties of the class that are not stored. */
  readonly notStored?: readonly string[];
  /** Properties that receive the system values. */
  readonly etagProperty?: string;
  readonly timestampProperty?: string;
  /** Builds an empty instance, if the constructor requires arguments. */
  readonly create?: () => object;
}
