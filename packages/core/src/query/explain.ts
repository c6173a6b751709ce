import type { FilterNode } from "../filter/filter-node.ts";
import { filterOfBounds } from "../filter/key-bounds.ts";
import { printFilter } from "../filter/print-filter.ts";
import { onlyText } from "../keys/text-range.ts";
import { type QueryPlan, type QueryType, type Rating, ratingOf } from "./query-plan.ts";

/** One request of an explanation. */
export interface ExplainedRequest {
  readonly type: QueryType;
  /** The key range, as OData text; undefined for the whole table. */
  readonly keys: string | undefined;
  /** What the store filters beside the keys, as OData text. */
  readonly filter: string | undefined;
  /** Whether the rows are checked again on the client. */
  readonly isChecked: boolean;
}

/** What a query will do, before it does it. `toString()` is one line for people. */
export interface Explanation {
  readonly table: string;
  readonly type: QueryType;
  readonly rating: Rating;
  /** Partitions the query reads; undefined when it cannot know. */
  readonly partitions: number | undefined;
  readonly requests: readonly ExplainedRequest[];
  /** Properties that would make a scan a range. */
  readonly missing: readonly string[];
  toString(): string;
}

/** The plan in words. */
export function explainPlan(plan: QueryPlan): Explanation {
  const requests = plan.requests.map(({ type, bounds, filter, needsCheck }) => ({
    type,
    keys: print(filterOfBounds(bounds)),
    filter: print(filter),
    isChecked: needsCheck,
  }));
  const { table, type, missing } = plan;
  const explained = {
    table,
    type,
    rating: ratingOf(type),
    partitions: countPartitions(plan),
    requests,
    missing,
  };
  return { ...explained, toString: () => summary(explained) };
}

function summary({
  table,
  type,
  rating,
  partitions,
  requests,
  missing,
}: Omit<Explanation, "toString">): string {
  if (requests.length === 0) return "no request · nothing can match";
  const where =
    partitions === undefined
      ? `table ${table}`
      : partitions === 1
        ? "1 partition"
        : `${partitions} partitions`;
  const [first] = requests;
  const more = requests.length > 1 ? ` · and ${requests.length - 1} more like it` : "";
  const filter = first?.filter === undefined ? "" : ` · filter ${first.filter}`;
  const checked = requests.some((r) => r.isChecked) ? " · rest on the client" : "";
  const scan = type === "table scan" && missing.length > 0 ? ` · missing ${missing.join(", ")}` : "";
  return `${type} (${rating}) · ${where} · ${first?.keys ?? "all keys"}${filter}${checked}${more}${scan}`;
}

function countPartitions({ requests }: QueryPlan): number | undefined {
  const keys = requests.map(({ bounds }) => onlyText(bounds.partitionKey));
  return keys.includes(undefined) ? undefined : new Set(keys).size;
}

const print = (node: FilterNode | undefined): string | undefined =>
  node === undefined ? undefined : printFilter(node);
