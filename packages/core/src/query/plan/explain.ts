import type { FilterNode } from "../../values/filter/filter-node.ts";
import { filterOfBounds } from "../../values/filter/key-bounds.ts";
import { printFilter } from "../../values/filter/print-filter.ts";
import { onlyText } from "../../values/keys/text-range.ts";
import { describePredicate } from "../build/describe-predicate.ts";
import {
  type PlannedRequest,
  type QueryPlan,
  type QueryType,
  type Rating,
  ratingOf,
  type UnusedIndex,
  worstOf,
} from "./query-plan.ts";
import { isListedMerge, isShortMerge } from "./row-key-order.ts";
import { maxSorted, type Sort } from "../build/sort.ts";
import type { InMemoryFilter } from "../build/in-memory-filter.ts";

/**
 * One request of an explanation, in three parts: its keys, the filter for the service, and the conditions that are
 * checked on the client.
 */
export interface ExplainedRequest {
  readonly type: QueryType;
  /** The key range, as OData text; undefined for the complete table. */
  readonly keys: string | undefined;
  /** The filter in addition to the key range, as OData text. */
  readonly filter: string | undefined;
  /** The conditions that rows are checked for on the client, in the syntax of the query; `filterInMemory` by the name of its function. */
  readonly client: string | undefined;
  /** Whether the rows are checked on the client, even if only for their kind. */
  readonly isChecked: boolean;
}

/** A merge of partitions in RowKey order. */
export interface ExplainedMerge {
  /** The number of partitions that are merged at the same time: of one slice if it is by slice, else of all. */
  readonly partitions: number;
  /**
   * The minimum number of requests, sent 16 at a time: with `take`, one short page of each partition; otherwise each
   * request of the plan. Further pages of a partition are read as the merge needs them. By slice, those of the first
   * slice, and those that find it if no condition names it.
   */
  readonly requests: number;
  /**
   * Whether slices of time are opened one after another, as the merge needs them. After an empty slice, one request finds
   * the next one; if the slice is not the first part of the PartitionKey, one for each combination of the parts in front.
   */
  readonly isBySlice: boolean;
}

/** The requests that a query will send. `toString()` returns a readable line. */
export interface Explanation {
  readonly table: string;
  /** The worst type among the requests. */
  readonly type: QueryType;
  readonly rating: Rating;
  /** Partitions that the query reads; undefined if that is unknown. */
  readonly partitions: number | undefined;
  /** The requests, in key order. Each takes one round trip, or one per page of a range. */
  readonly requests: readonly ExplainedRequest[];
  /** Properties that would turn a scan into a key range if you added conditions on them. */
  readonly missing: readonly string[];
  /** The index that the query uses; undefined for the keys of the class itself. */
  readonly index: string | undefined;
  /** Whether entities are built from index rows (`copies`) or from their own rows (`rows`). */
  readonly reads: "copies" | "rows";
  /** Indexes that would serve the query at lower cost if you called `via(name)`; entities come in their order then. */
  readonly alternatives: readonly string[];
  /** Indexes that would serve the query at lower cost but are not used, each with the reason. */
  readonly unused: readonly UnusedIndex[];
  /**
   * Whether entities come in key order. They don't if partitions are merged or the order is reversed, nor from Cosmos DB,
   * which promises no order.
   */
  readonly isInKeyOrder: boolean;
  /** Whether a query in reverse order reads everything and holds the last entities, because the service reads forwards only. */
  readonly readsToEnd: boolean;
  /** The property and direction of an order that is made on the client, such as `total desc`. */
  readonly sortedBy: string | undefined;
  /** How partitions are merged in RowKey order; undefined if none are, or if they cannot be. */
  readonly merge: ExplainedMerge | undefined;
  /** The query without its values: classes, and operators by property. Access patterns are identified by it. */
  readonly shape: string;
  /** The properties that the scope of the context fixes: their values are among the conditions. Undefined if it fixes none. */
  readonly scope: readonly string[] | undefined;
  toString(): string;
}

/** The work of a query on the client, after its conditions. */
interface InMemorySteps {
  readonly take?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly filters?: readonly InMemoryFilter[] | undefined;
}

/** Explains a plan. */
export function explainPlan(
  plan: QueryPlan,
  isOrdered: boolean,
  shape: string,
  { take: taken, sort, filters = [] }: InMemorySteps,
  scope?: readonly string[],
): Explanation {
  const take = sort === undefined ? taken : undefined;
  const { table, missing, path, alternatives = [], unused = [], isMerged = false, reversed } = plan;
  // The RowKeys of each slice are a range.
  const shortType = plan.slices === undefined ? worstOf(plan.requests) : "row range scan";
  const type = isShortMerge(plan, take) ? shortType : plan.type;
  const partitions = countPartitions(plan);
  const explained = {
    table,
    type,
    rating: ratingOf(type),
    partitions,
    requests: plan.requests.map((request) => explainRequest(request, filters)),
    missing,
    index: path?.index,
    reads: path?.reads ?? "rows",
    alternatives,
    unused,
    isInKeyOrder: isOrdered && !isMerged && reversed === undefined && sort === undefined,
    readsToEnd: reversed === "held",
    sortedBy: sort && `${sort.property} ${sort.direction}`,
    merge: isOrdered && isMerged ? explainMerge(plan, take) : undefined,
    shape,
    scope,
  };
  const turned = reversed === undefined ? "" : backwards[reversed];
  const inOrder = isMerged ? describeMerge(explained.merge) : turned;
  const keyOrder = isOrdered ? inOrder : "in no order";
  const order = sort === undefined ? keyOrder : describeSort(sort, taken);
  return { ...explained, toString: () => summary(explained, order) };
}

function explainMerge(plan: QueryPlan, take: number | undefined): ExplainedMerge | undefined {
  const { requests, slices } = plan;
  const isListed = isListedMerge(plan);
  if (slices !== undefined && (take !== undefined || !isListed)) {
    const finding = slices.first === undefined ? slices.planAfter(undefined).requests.length : 0;
    const { partitions } = slices;
    return { partitions, requests: partitions + finding, isBySlice: true };
  }
  const partitions = countPartitions(plan) ?? 0;
  if (!isListed) return undefined;
  return { partitions, requests: take === undefined ? requests.length : partitions, isBySlice: false };
}

function explainRequest(
  { type, bounds, filter, needsCheck, rest }: PlannedRequest,
  filters: readonly InMemoryFilter[],
): ExplainedRequest {
  const conditions = [...new Set(rest.map(describePredicate))].join(" or ");
  const functions = filters.map(
    ({ name }) => `filterInMemory(${name === "" ? "a function without a name" : name})`,
  );
  const all = [conditions !== "" && filters.length > 0 ? `(${conditions})` : conditions, ...functions];
  const client = all.filter((each) => each !== "").join(" and ") || undefined;
  return { type, keys: print(filterOfBounds(bounds)), filter: print(filter), client, isChecked: needsCheck };
}

function summary(
  {
    table,
    type,
    rating,
    partitions,
    requests,
    missing,
    index,
    reads,
    alternatives,
    unused,
    scope,
  }: Omit<Explanation, "toString" | "shape">,
  order: string,
): string {
  const [first] = requests;
  if (first === undefined) return "no request · nothing can match";
  const checked = requests.find(({ isChecked }) => isChecked);
  const parts = [
    `${type} (${rating})`,
    partitions === undefined ? `table ${table}` : counted(partitions, "partition"),
    index === undefined ? "" : `index ${index}${reads === "rows" ? ", then the rows" : ""}`,
    first.keys ?? "all keys",
    first.filter === undefined ? "" : `filter ${first.filter}`,
    checked === undefined ? "" : describeCheck(checked, index !== undefined && reads === "rows"),
    requests.length > 1 ? `and ${requests.length - 1} more like it` : "",
    type === "table scan" && missing.length > 0 ? `missing ${missing.join(", ")}` : "",
    alternatives.length === 0 ? "" : `better by via("${alternatives.join('") or via("')}")`,
    ...unused.map(({ index: name, reason }) => `index ${name} ${reason}`),
    scope === undefined ? "" : `scope ${scope.join(", ")}`,
    order,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/**
 * The conditions that are checked on the client. If the query reads entities' rows through an index, those are always
 * checked again, which is not mentioned.
 */
function describeCheck({ client }: ExplainedRequest, isReread: boolean): string {
  if (client === undefined && isReread) return "";
  return `on the client ${client ?? "the kind"}`;
}

const describeSort = ({ property, direction }: Sort, take: number | undefined): string =>
  `sorted by ${property} ${direction} on the client, which holds ${take ?? `at most ${maxSorted}`} of all that is found`;

const describeMerge = (merge: ExplainedMerge | undefined): string =>
  merge === undefined
    ? "not in RowKey order: no list of partitions to merge"
    : `merged in RowKey order${merge.isBySlice ? ", slice after slice," : ""} by ${counted(merge.requests, "request")} at least`;

const backwards = {
  backwards: "in reverse key order",
  held: "in reverse key order, read to the end, as a service reads forwards only",
} as const;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function countPartitions({ requests }: QueryPlan): number | undefined {
  const keys = requests.map(({ bounds }) => onlyText(bounds.partitionKey));
  return keys.includes(undefined) ? undefined : new Set(keys).size;
}

const print = (node: FilterNode | undefined): string | undefined =>
  node === undefined ? undefined : printFilter(node);
