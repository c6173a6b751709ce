import type { StoredEntity } from "../values/edm/stored-entity.ts";
import type { FilterNode } from "../values/filter/filter-node.ts";
import type { CheckedRow, KindChooser } from "../model/codec/choose-kind.ts";
import type { queryReaderFor } from "../model/codec/scan/query-reader.ts";
import type { LoadedProperties } from "../model/codec/snapshot.ts";
import type { IndexStates } from "../model/schema/index-states.ts";
import type { UnreadableRowPolicy } from "../model/codec/unreadable-row.ts";
import type { RetryPolicy } from "../storage/retry-policy.ts";
import type { RowStorage } from "../storage/store-engine.ts";
import type { MergeOption } from "../model/declaration/merge-option.ts";
import type { BulkSource } from "./options/bulk-options.ts";
import type { Inclusion } from "./build/inclusion.ts";
import type { PredicateNode } from "./build/predicate-node.ts";
import type { Condition, Conditions } from "./plan/conditions.ts";
import type { Projection } from "./build/projection.ts";
import type { Sort } from "./build/sort.ts";
import type { InMemoryFilter } from "./build/in-memory-filter.ts";
import type { QueryTracer } from "./run/query-tracer.ts";

/** The parts of a context that a query needs. */
export interface QuerySource {
  readonly storage: RowStorage;
  readonly chooser: KindChooser;
  /** Absent if the context has no scope, or the classes have none. */
  readonly scope?: QueryScope | undefined;
  readonly reader: RowTaker;
  /** How the context handles rows that cannot be read. */
  readonly unreadableRows: UnreadableRowPolicy;
  /** The states of the classes' indexes; undefined if no storage is used. */
  readonly indexStates?: IndexStates | undefined;
  /**
   * Stores the upgraded form of older rows. Returns the rows as they are stored afterwards, without those that changed
   * in between and no longer pass the check. Absent if the context does not upgrade rows.
   */
  readonly upgradeNow?: (
    rows: readonly CheckedRow[],
    check: (row: StoredEntity) => CheckedRow | undefined,
    mergeOption: MergeOption,
    signal: AbortSignal | undefined,
  ) => Promise<readonly CheckedRow[]>;
  /** The context's count of saves, which distinguishes older rows from newer ones. */
  readonly clock: { readonly revision: number };
  /** Checks the shape of a query that is about to read. @throws PatternError `pattern.unknown` */
  readonly checkShape?: (shape: string) => void;
  /** Makes entities from the bytes of rows. Absent outside of a context: rows are parsed. */
  readonly readerFor?: typeof queryReaderFor;
  /** Absent outside of a context: the query is not traced. */
  readonly tracer?: QueryTracer;
  /** Writes the results of the query. */
  readonly bulk: (unreadableRows: UnreadableRowPolicy) => BulkSource;
}

/** The scope of a context, for the classes of one query. */
export interface QueryScope {
  /** Conditions that every row of the query satisfies. */
  readonly conditions: readonly Condition[];
  /** The properties that the scope fixes. */
  readonly properties: readonly string[];
  /** @throws StateError `context.scope` for a condition that names another scope */
  check(nodes: readonly PredicateNode[]): void;
  /** Whether a row may belong to the scope. */
  holds(chooser: KindChooser, row: StoredEntity): boolean;
}

/** Builds or finds the entities of rows. */
export interface RowTaker {
  /**
   * Undefined for a row that was removed since it was requested, and for one that is skipped because it cannot be read.
   */
  materialize(row: CheckedRow, how: Materializing): object | undefined;
  /**
   * Assigns children to the property of their parent.
   *
   * @param build - builds or finds the children, as `materialize` does; called once
   */
  showChildren(
    parent: object,
    property: string,
    build: () => (object | undefined)[],
    merge: MergeOption,
  ): void;
}

/** How the entity of a row is built or found. */
export interface Materializing {
  readonly merge: MergeOption;
  /** The context's count of saves when the row was requested. */
  readonly readAt: number;
  /** The properties that the query selected; all of them when absent. */
  readonly loaded?: LoadedProperties;
  readonly unreadableRows?: UnreadableRowPolicy | undefined;
}

/** The settings of a query. */
export interface QueryState {
  readonly conditions: Conditions;
  readonly inclusion?: Inclusion | undefined;
  /** In OData syntax, over stored names. */
  readonly raw?: FilterNode | undefined;
  readonly take?: number | undefined;
  readonly sort?: Sort | undefined;
  /** Functions that filter entities after all conditions. */
  readonly filters?: readonly InMemoryFilter[] | undefined;
  readonly mergeOption: MergeOption;
  /** How the query handles rows that cannot be read; the context's setting when absent. */
  readonly unreadableRows?: UnreadableRowPolicy | undefined;
  readonly mayScan: boolean;
  /** The index to use, or "primary"; undefined to choose. */
  readonly path?: string | undefined;
  /** Whether entities are read from their own rows instead of index rows. */
  readonly isFresh?: boolean | undefined;
  /** Whether entities are returned in RowKey order across partitions. */
  readonly isByRowKey?: true | undefined;
  /** Whether the last entities come first. */
  readonly isReversed?: boolean | undefined;
  /** Whether slices of PartitionKeys are read as ranges instead of one by one. */
  readonly isRanged?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly projection?: Projection | undefined;
}
