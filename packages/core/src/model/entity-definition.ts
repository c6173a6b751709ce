import type { AnyKeyFormat } from "../keys/key-format.ts";
import type { AnyPropertyType } from "./property-type.ts";

/** A class whose instances are stored. */
// oxlint-disable-next-line typescript/no-explicit-any -- any constructor will do
export type EntityClass<Entity extends object = object> = abstract new (...args: any[]) => Entity;

/** What happens to rows whose kind no class here declares. */
export type UnknownKindPolicy = "error" | "skip";

/** Settings of a table, shared by every kind in it. */
export interface TableOptions {
  /** Between the parts of a key, or of each key; default `_`, and `!` where a part is `escaped`. */
  readonly separator?: string | { readonly partitionKey?: string; readonly rowKey?: string };
  /** Stored name of the discriminator; default `Kind`. */
  readonly kindProperty?: string;
  /** Stored name of the schema version; default `SchemaVersion`. */
  readonly versionProperty?: string;
  /** Rows of a kind that no class declares: an error (default), or skipped. */
  readonly unknownKind?: UnknownKindPolicy;
  /**
   * Whether every write also stores a random id of its own, under `_m`: it proves after a lost answer whether the write
   * was made. Needed where two writers may store equal values and only one of them should win: claims, locks, counters.
   */
  readonly writeId?: boolean;
}

/** A class's place among several in one table. */
export interface KindDefinition {
  readonly name: string;
  /** Whether the name is also the first or the last part of the RowKey. */
  readonly key?: "prefix" | "suffix";
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

/** What a front end (decorators, `defineEntity`) says of a class; `buildModel` validates it. */
export interface EntityDefinition {
  readonly table: string | undefined;
  readonly options: TableOptions;
  readonly kind?: KindDefinition;
  readonly version?: number;
  readonly partitionKey: readonly KeyPartDefinition[];
  readonly rowKey: readonly KeyPartDefinition[];
  readonly properties: readonly PropertyDefinition[];
  /** Properties that receive the system values. */
  readonly etagProperty?: string;
  readonly timestampProperty?: string;
  /** Builds an empty instance, where the constructor needs arguments. */
  readonly create?: () => object;
}
