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
import { maxSorted, type Sort } from "../build/sort.ts";
import type { InMemoryFilter } from "../build/in-memory-filter.ts";
import { isShortMerge, maxMerged } from "./row-key-order.ts";

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
  /** The number of merged partitions. */
  readonly partitions: number;
  /**
   * The minimum number of requests, sent 16 at a time: with `take`, one short page of each partition; otherwise each
   * request of the plan. Further pages of a partition are read as the merge needs them.
   */
  readonly requests: number;
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
   * Whether entities come in key order. They don't if partitions are merged, nor from Cosmos DB, which promises no
   * order.
   */
  readonly isInKeyOrder: boolean;
  /** The property and direction of an order that is made on the client, such as `total desc`. */
  readonly sortedBy: string | undefined;
  /** How partitions are merged in RowKey order; undefined if none are, or if they cannot be. */
  readonly merge: ExplainedMerge | undefined;
  /** The query without its values: classes, and operators by property. Access patterns are identified by it. */
  readonly shape: string;
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
): Explanation {
  const take = sort === undefined ? taken : undefined;
  const { table, missing, path, alternatives = [], unused = [], isMerged = false } = plan;
  const type = isShortMerge(plan, take) ? worstOf(plan.requests) : plan.type;
  const partitions = countPartitions(plan);
  const canMerge = isMerged && isOrdered && partitions !== undefined && partitions <= maxMerged;
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
    isInKeyOrder: isOrdered && !isMerged && sort === undefined,
    sortedBy: sort && `${sort.property} ${sort.direction}`,
    merge: canMerge
      ? { partitions, requests: take === undefined ? plan.requests.length : partitions }
      : undefined,
    shape,
  };
  const keyOrder = isOrdered ? (isMerged ? describeMerge(explained.merge) : "") : "in no order";
  const order = sort === undefined ? keyOrder : describeSort(sort, taken);
  return { ...explained, toString: () => summary(explained, order) };
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
    : `merged in RowKey order by ${counted(merge.requests, "request")} at least`;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function countPartitions({ requests }: QueryPlan): number | undefined {
  const keys = requests.map(({ bounds }) => onlyText(bounds.partitionKey));
  return keys.includes(undefined) ? undefined : new Set(keys).size;
}

const print = (node: FilterNode | undefined): string | undefined =>
  node === undefined ? undefined : printFilter(node);
