import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { AnyKeyFormat } from "../../values/keys/key-format.ts";
import type { UpgradeChain } from "../upgrade/upgrades.ts";
import type { AnyPropertyType } from "./property-type.ts";
import type { UndeclaredPolicy } from "./undeclared-policy.ts";

/** A class whose instances are stored. */
// oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
export type EntityClass<Entity extends object = object> = abstract new (...args: any[]) => Entity;

/** What happens to rows whose kind no class here declares, where their base class is asked for. */
export type UnknownKindPolicy = "error" | "skip" | "base";

/** Settings of a table, shared by every kind in it. */
export interface TableOptions {
  /** Between the parts of a key, or of each key; default `_`, and `!` where a part is `escaped`. */
  readonly separator?: string | { readonly partitionKey?: string; readonly rowKey?: string };
  /** Stored name of the discriminator; default `Kind`. */
  readonly kindProperty?: string;
  /** Stored name of the schema version; default `SchemaVersion`. */
  readonly versionProperty?: string;
  /**
   * Rows of a kind that no class declares, where their base is asked for: an error (default), skipped, or instances of
   * the base with what it declares, whose other properties stay as they are stored.
   */
  readonly unknownKind?: UnknownKindPolicy;
  /** What proves, after a lost answer, that a write was made; default `content`. */
  readonly proof?: Proof;
  /**
   * Whether messages may be sent with changes of the table's entities: each is a row of its own in their partition, under
   * a RowKey that begins with `~o~`, which no entity's does then; default false.
   */
  readonly outbox?: boolean;
  /** Where the states of indexes are kept; default `recorded`. */
  readonly indexStates?: IndexStatesSource;
  /** What a save does about values that the class does not declare; absent, the context says it. */
  readonly undeclared?: UndeclaredPolicy;
}

/**
 * Where the states of indexes are kept.
 *
 * - `recorded`: in the table `PartitaSchema` of the storage. `createTables` records the indexes of a table that it creates as
 *   ready, and `buildIndex` those that it has built. Queries don't use an index whose state is not recorded.
 * - `declared`: in the class, by the `state` of each index. For credentials that may not read `PartitaSchema`, such as a
 *   shared access signature for one table.
 */
export type IndexStatesSource = "recorded" | "declared";

/**
 * What proves, after a lost answer, that a write was made.
 *
 * - `content`: rows are as every program writes them; equal values are taken for proof, which another writer may have
 *   stored as well.
 * - `marker`: every transaction also inserts a row of its own in its partition, a marker, so that it can never be carried
 *   out twice and its outcome is known as soon as the store can be reached: exactly once. It costs one small row for each
 *   transaction and a request to remove it. For claims, locks and counters.
 */
export type Proof = "content" | "marker";

/** A class's place among several in one table. */
export interface KindDefinition {
  readonly name: string;
  /** Whether the name is also the first or the last part of the RowKey. */
  readonly key?: "prefix" | "suffix";
  /** Names the kind had before: rows that have them are read as this kind, and keep them. */
  readonly formerly?: readonly string[];
  /** False where rows have no property for their kind: `key` or `when` decides. */
  readonly stored?: boolean;
  /** Whether a row is of this kind, where rows have no property for it. */
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
}

/** A secondary index, as declared. */
export interface IndexDefinition {
  readonly name: string;
  /** The parts that its rows are found and ordered by; the first begins with a text of its own. */
  readonly rowKey: readonly KeyPartDefinition[];
  /** What its rows hold of the entity; default `all`. */
  readonly copy?: IndexCopy | undefined;
  /** Whether no two entities of a partition may have the same values. */
  readonly unique?: boolean | undefined;
  /** `retired`, or any state in tables with `indexStates: "declared"`, where `ready` is the default. */
  readonly state?: IndexState | undefined;
}

/** What the rows of an index hold of the entity: everything, some properties, or nothing beside its key. */
export type IndexCopy = "all" | "none" | readonly string[];

/**
 * Where an index is in its life.
 *
 * - `building`: its rows are written and never read, until `buildIndex` has added those of older entities.
 * - `ready`: its rows are written and read.
 * - `retired`: its rows are neither written nor read, until `dropIndex` has removed them.
 */
export type IndexState = "building" | "ready" | "retired";

/** What a front end (decorators, `defineEntity`) says of a class; `buildModel` validates it. */
export interface EntityDefinition {
  readonly table: string | undefined;
  readonly options: TableOptions;
  readonly kind?: KindDefinition;
  readonly version?: number | UpgradeChain;
  readonly partitionKey: readonly KeyPartDefinition[];
  readonly rowKey: readonly KeyPartDefinition[];
  readonly properties: readonly PropertyDefinition[];
  /** Secondary indexes; those of a base class cover its kinds. */
  readonly indexes?: readonly IndexDefinition[];
  /** Properties that hold children, and the class of each; asked for when it is first needed. */
  readonly children?: readonly ChildrenDefinition[];
  /** Properties of the class that are not to be stored. */
  readonly notStored?: readonly string[];
  /** Properties that receive the system values. */
  readonly etagProperty?: string;
  readonly timestampProperty?: string;
  /** Builds an empty instance, where the constructor needs arguments. */
  readonly create?: () => object;
}
