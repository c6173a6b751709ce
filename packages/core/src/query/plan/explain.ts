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
import { isShortMerge, maxMerged } from "./row-key-order.ts";

/** One request of an explanation, in its three parts: what keys say, what the store filters, what is checked here. */
export interface ExplainedRequest {
  readonly type: QueryType;
  /** The key range, as OData text; undefined for the whole table. */
  readonly keys: string | undefined;
  /** What the store filters beside the keys, as OData text. */
  readonly filter: string | undefined;
  /** What rows are checked for again on the client, in the words of the query. */
  readonly client: string | undefined;
  /** Whether the rows are checked again on the client, be it only for their kind. */
  readonly isChecked: boolean;
}

/** A merge of partitions in RowKey order. */
export interface ExplainedMerge {
  /** How many are merged. */
  readonly partitions: number;
  /**
   * Requests at least, 16 at a time: with `take`, one short page of each partition; else each request of the plan. Partitions
   * are read on where the merge needs it.
   */
  readonly requests: number;
}

/** What a query will do, before it does it. `toString()` is one line for people. */
export interface Explanation {
  readonly table: string;
  /** The worst type among the requests. */
  readonly type: QueryType;
  readonly rating: Rating;
  /** Partitions the query reads; undefined when it cannot know. */
  readonly partitions: number | undefined;
  /** In key order. Each is one round trip, or one per page of a range. */
  readonly requests: readonly ExplainedRequest[];
  /** Properties that would make a scan a range. */
  readonly missing: readonly string[];
  /** The index that answers it; undefined for the keys of the class itself. */
  readonly index: string | undefined;
  /** Whether entities are made of the rows of an index, or of their own rows. */
  readonly reads: "copies" | "rows";
  /** Indexes that would answer it at less cost, asked for by `via(name)`: entities come in their order then. */
  readonly alternatives: readonly string[];
  /** Indexes that would answer it at less cost, but are not used, and why. */
  readonly unused: readonly UnusedIndex[];
  /** Whether entities come in key order: not from Cosmos DB, which promises none, and not where partitions are merged. */
  readonly isInKeyOrder: boolean;
  /** How partitions are merged in RowKey order; undefined where none are, or where they cannot be. */
  readonly merge: ExplainedMerge | undefined;
  /** The query without its values: classes, and operators by property. Access patterns are known by it. */
  readonly shape: string;
  toString(): string;
}

/** The plan in words. */
export function explainPlan(plan: QueryPlan, isOrdered: boolean, shape: string, take?: number): Explanation {
  const { table, missing, path, alternatives = [], unused = [], isMerged = false } = plan;
  const type = isShortMerge(plan, take) ? worstOf(plan.requests) : plan.type;
  const partitions = countPartitions(plan);
  const canMerge = isMerged && isOrdered && partitions !== undefined && partitions <= maxMerged;
  const explained = {
    table,
    type,
    rating: ratingOf(type),
    partitions,
    requests: plan.requests.map(explainRequest),
    missing,
    index: path?.index,
    reads: path?.reads ?? "rows",
    alternatives,
    unused,
    isInKeyOrder: isOrdered && !isMerged,
    merge: canMerge
      ? { partitions, requests: take === undefined ? plan.requests.length : partitions }
      : undefined,
    shape,
  };
  const order = isOrdered ? (isMerged ? describeMerge(explained.merge) : "") : "in no order";
  return { ...explained, toString: () => summary(explained, order) };
}

function explainRequest({ type, bounds, filter, needsCheck, rest }: PlannedRequest): ExplainedRequest {
  const client = rest.length === 0 ? undefined : [...new Set(rest.map(describePredicate))].join(" or ");
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

/** The conditions decided here. Where an index leads to the entities' rows, those are checked again, which needs no words. */
function describeCheck({ client }: ExplainedRequest, isReread: boolean): string {
  if (client === undefined && isReread) return "";
  return `on the client ${client ?? "the kind"}`;
}

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
