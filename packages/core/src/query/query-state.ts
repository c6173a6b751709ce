import type { StoredEntity } from "../values/edm/stored-entity.ts";
import type { FilterNode } from "../values/filter/filter-node.ts";
import type { CheckedRow, KindChooser } from "../model/codec/choose-kind.ts";
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

/** What a query needs of its context. */
export interface QuerySource {
  readonly storage: RowStorage;
  readonly chooser: KindChooser;
  /** Absent where the context has no scope, or the classes have none. */
  readonly scope?: QueryScope | undefined;
  readonly reader: RowTaker;
  /** What the context does with rows that cannot be read. */
  readonly unreadableRows: UnreadableRowPolicy;
  /** Whether the indexes of the classes have been built; undefined where no storage is asked. */
  readonly indexStates?: IndexStates | undefined;
  /**
   * Stores what older rows are upgraded to; the rows as they are now, those excepted that changed in between and do not
   * pass the check any more. Absent where the context does not want that.
   */
  readonly upgradeNow?: (
    rows: readonly CheckedRow[],
    check: (row: StoredEntity) => CheckedRow | undefined,
    mergeOption: MergeOption,
    signal: AbortSignal | undefined,
  ) => Promise<readonly CheckedRow[]>;
  /** The context's count of saves, which separates old rows from new ones. */
  readonly clock: { readonly revision: number };
  /** Looks at the shape of a query that is about to read. @throws PatternError `pattern.unknown` */
  readonly checkShape?: (shape: string) => void;
  /** Writes what the query finds. */
  readonly bulk: (unreadableRows: UnreadableRowPolicy) => BulkSource;
}

/** The scope of a context, as far as it concerns the classes of one query. */
export interface QueryScope {
  /** Conditions that every row of the query satisfies. */
  readonly conditions: readonly Condition[];
  /** The properties that the scope fixes. */
  readonly properties: readonly string[];
  /** @throws StateError `context.scope` for a condition that names another scope */
  check(nodes: readonly PredicateNode[]): void;
  /** Whether a row may be one of the scope. */
  holds(chooser: KindChooser, row: StoredEntity): boolean;
}

/** Builds or finds the entities of rows. */
export interface RowTaker {
  /** Undefined for a row that was removed since it was requested, and for one that is skipped since it cannot be read. */
  materialize(row: CheckedRow, how: Materializing): object | undefined;
  /**
   * Puts children into the property of their parent.
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
  /** The context's count of saves when the row was asked for. */
  readonly readAt: number;
  /** What the query selected; all of it when absent. */
  readonly loaded?: LoadedProperties;
  readonly unreadableRows?: UnreadableRowPolicy | undefined;
}

/** What a query asks for. */
export interface QueryState {
  readonly conditions: Conditions;
  readonly inclusion?: Inclusion | undefined;
  /** In the service's words, over stored names. */
  readonly raw?: FilterNode | undefined;
  readonly take?: number | undefined;
  readonly sort?: Sort | undefined;
  /** Functions that decide about entities after all conditions. */
  readonly filters?: readonly InMemoryFilter[] | undefined;
  readonly mergeOption: MergeOption;
  /** What the query does with rows that cannot be read; what the context says when absent. */
  readonly unreadableRows?: UnreadableRowPolicy | undefined;
  readonly mayScan: boolean;
  /** The index that it is to be answered by, or "primary"; undefined to choose. */
  readonly path?: string | undefined;
  /** Whether the rows of an index do not do: entities are read from their own rows. */
  readonly isFresh?: boolean | undefined;
  /** Whether entities are wanted in RowKey order, whatever their partition is. */
  readonly isByRowKey?: true | undefined;
  /** Whether the last entities come first. */
  readonly isReversed?: boolean | undefined;
  /** Whether slices of PartitionKeys are wanted as ranges instead of one by one. */
  readonly isRanged?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly projection?: Projection | undefined;
}
