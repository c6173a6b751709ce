import type { FilterNode } from "../../values/filter/filter-node.ts";
import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import type { TimeSlice } from "../../values/keys/derived-format.ts";
import { onlyText } from "../../values/keys/text-range.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { NormalNode } from "../build/predicate-node.ts";

/** The input of planning: the requested kinds, and the predicate in each kind's own terms. */
export interface PlannedKind {
  readonly model: EntityModel;
  /** All that the kind's rows must satisfy; undefined for every row. */
  readonly predicate: NormalNode | undefined;
  /** Whether some of its rows, of kinds of their own, must satisfy more. */
  readonly isPartial?: boolean;
  /** Whether slices of PartitionKeys are wanted as ranges instead of one by one. */
  readonly isRanged?: boolean;
}

/** The cost of a request, from best to worst. Source: learn.microsoft.com "Design for querying". */
export type QueryType = "point" | "row range scan" | "partition scan" | "partition range scan" | "table scan";

/** How good a query type is for a table of any size. */
export type Rating = "best" | "good" | "fair" | "poor" | "worst";

/** One disjoint piece of a query: a point read, or a range read page by page. */
export interface PlannedRequest {
  readonly type: QueryType;
  readonly bounds: KeyBounds;
  /** The filter that storage evaluates in addition to the key bounds. */
  readonly filter: FilterNode | undefined;
  /** Whether rows must be checked on the client, because keys and filter do not decide the complete predicate. */
  readonly needsCheck: boolean;
  /** Whether it finds index rows that refer to entities; the entities' own rows are then read by their keys. */
  readonly isReread?: boolean;
  /** The conditions that are checked on the client, for each kind that has any. */
  readonly rest: readonly NormalNode[];
}

/** The plan of a query: requests in key order that never return an entity twice. None: nothing can match. */
export interface QueryPlan {
  readonly table: string;
  readonly requests: readonly PlannedRequest[];
  /** The worst type among the requests. */
  readonly type: QueryType;
  /** Properties that would make a scan a range. */
  readonly missing: readonly string[];
  /** The index that is used; undefined for the class's own keys. */
  readonly path?: QueryPath;
  /** Indexes that would cost less, in their own order; the best first. */
  readonly alternatives?: readonly string[];
  /** Indexes that would cost less, but that have not been built. */
  readonly unused?: readonly UnusedIndex[];
  /** Whether rows of several partitions are wanted in RowKey order, and therefore merged. */
  readonly isMerged?: true;
  /**
   * How the last rows come first: `backwards` if storage reads ranges backwards, else `held`: they are read to their end.
   * The requests are in reverse key order.
   */
  readonly reversed?: "backwards" | "held";
  /** The slices that a merge opens one after another; absent where all partitions are opened at once. */
  readonly slices?: SliceOrder;
  /** The same query over the former keys of its classes. */
  readonly former?: FormerPlan;
}

/** The plan of a query over former keys. */
export interface FormerPlan {
  readonly plan: QueryPlan;
  /** Whether the rows are in the order of their present keys, too. */
  readonly isInOrder: boolean;
  /** Whether rows under present keys are in the same table, so a range of keys may have both. */
  readonly isShared: boolean;
  /** The former key of the row with a present key; undefined if it may have several. */
  keyAt(place: readonly [string, string]): readonly [string, string] | undefined;
}

/** The merge of a query by slices of time: the RowKeys of each slice are all before those of the next. */
export interface SliceOrder {
  /** Partitions of each slice. */
  readonly partitions: number;
  /** The first slice; undefined if conditions leave that end open, so a request has to find it. */
  readonly first: TimeSlice | undefined;
  /** The slice after another one; undefined after the last. */
  next(slice: TimeSlice): TimeSlice | undefined;
  /** The slice of a partition. */
  sliceOf(partitionKey: string): TimeSlice | undefined;
  /** The query for the partitions of one slice. */
  planOf(slice: TimeSlice): QueryPlan;
  /** The query for all slices after one, or for all slices, as ranges of PartitionKeys. */
  planAfter(slice: TimeSlice | undefined): QueryPlan;
}

/** An index that a query cannot use. */
export interface UnusedIndex {
  readonly index: string;
  /** Why not: "has not been built (partita index build)". */
  readonly reason: string;
}

/** An index, and where a query over it gets its entities from: from the index's rows, or from their own. */
export interface QueryPath {
  readonly index: string;
  readonly reads: "copies" | "rows";
}

const ratings: Readonly<Record<QueryType, Rating>> = {
  point: "best",
  "row range scan": "good",
  "partition scan": "fair",
  "partition range scan": "poor",
  "table scan": "worst",
};

export const ratingOf = (type: QueryType): Rating => ratings[type];

/** The type of a request for these keys. */
export function typeOf({ partitionKey, rowKey }: KeyBounds): QueryType {
  if (onlyText(partitionKey) !== undefined) {
    if (onlyText(rowKey) !== undefined) return "point";
    return rowKey.lower === undefined && rowKey.upper === undefined ? "partition scan" : "row range scan";
  }
  return partitionKey.lower === undefined && partitionKey.upper === undefined
    ? "table scan"
    : "partition range scan";
}

/** From best to worst. */
export const queryTypes: readonly QueryType[] = Object.keys(ratings) as QueryType[];

/** The more expensive of two query types. */
export const worse = (a: QueryType, b: QueryType): QueryType =>
  queryTypes.indexOf(a) >= queryTypes.indexOf(b) ? a : b;

/** The most expensive type among requests. */
export const worstOf = (requests: readonly PlannedRequest[]): QueryType =>
  requests.reduce<QueryType>((worst, { type }) => worse(worst, type), "point");
