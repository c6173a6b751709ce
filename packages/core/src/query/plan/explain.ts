import type { FilterNode } from "../../filter/filter-node.ts";
import { filterOfBounds } from "../../filter/key-bounds.ts";
import { printFilter } from "../../filter/print-filter.ts";
import { onlyText } from "../../keys/text-range.ts";
import { describePredicate } from "../build/describe-predicate.ts";
import { type PlannedRequest, type QueryPlan, type QueryType, type Rating, ratingOf } from "./query-plan.ts";

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
  /** Whether entities come in key order: not from Cosmos DB, which promises none. */
  readonly isInKeyOrder: boolean;
  toString(): string;
}

/** The plan in words. */
export function explainPlan(plan: QueryPlan, isInKeyOrder: boolean): Explanation {
  const { table, type, missing, path, alternatives = [] } = plan;
  const explained = {
    table,
    type,
    rating: ratingOf(type),
    partitions: countPartitions(plan),
    requests: plan.requests.map(explainRequest),
    missing,
    index: path?.index,
    reads: path?.reads ?? "rows",
    alternatives,
    isInKeyOrder,
  };
  return { ...explained, toString: () => summary(explained) };
}

function explainRequest({ type, bounds, filter, needsCheck, rest }: PlannedRequest): ExplainedRequest {
  const client = rest.length === 0 ? undefined : [...new Set(rest.map(describePredicate))].join(" or ");
  return { type, keys: print(filterOfBounds(bounds)), filter: print(filter), client, isChecked: needsCheck };
}

function summary({
  table,
  type,
  rating,
  partitions,
  requests,
  missing,
  index,
  reads,
  alternatives,
  isInKeyOrder,
}: Omit<Explanation, "toString">): string {
  const [first] = requests;
  if (first === undefined) return "no request · nothing can match";
  const checked = requests.find(({ isChecked }) => isChecked);
  const parts = [
    `${type} (${rating})`,
    partitions === undefined ? `table ${table}` : counted(partitions, "partition"),
    index === undefined ? "" : `index ${index}${reads === "rows" ? ", then the rows" : ""}`,
    first.keys ?? "all keys",
    first.filter === undefined ? "" : `filter ${first.filter}`,
    checked === undefined ? "" : `on the client ${checked.client ?? "the kind"}`,
    requests.length > 1 ? `and ${requests.length - 1} more like it` : "",
    type === "table scan" && missing.length > 0 ? `missing ${missing.join(", ")}` : "",
    alternatives.length === 0 ? "" : `better by via("${alternatives.join('") or via("')}")`,
    isInKeyOrder ? "" : "in no order",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function countPartitions({ requests }: QueryPlan): number | undefined {
  const keys = requests.map(({ bounds }) => onlyText(bounds.partitionKey));
  return keys.includes(undefined) ? undefined : new Set(keys).size;
}

const print = (node: FilterNode | undefined): string | undefined =>
  node === undefined ? undefined : printFilter(node);
