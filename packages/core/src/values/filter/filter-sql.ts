import { conjunctsOf } from "./key-bounds.ts";
import type { Comparison, FilterNode } from "./filter-node.ts";

/** What a statement takes for a placeholder. */
export type SqlValue = string | number | bigint | Uint8Array;

/** A piece of SQL and the values of its placeholders. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** What a database has to say about a filter's parts. */
export interface SqlDialect {
  /** The null of three-valued logic: {@link evaluateFilter} has to decide. */
  readonly unknown: string;
  /** The placeholder of a statement's value, counted from 1. */
  readonly placeholder: (index: number) => string;
  /**
   * A comparison: true or false as `evaluateFilter` says of the row, or null. Never an error, whatever a row holds.
   *
   * @param bind - adds a value to the statement, and returns its placeholder; in the order in which they stand in the SQL
   */
  readonly comparison: (node: Comparison, bind: (value: SqlValue) => string) => string;
}

/** A filter in SQL. Both conditions take the same values. */
export interface FilterSql {
  /** True for a row that satisfies the filter; null where only `evaluateFilter` can decide. */
  readonly certain: string;
  /** True for a row that may satisfy it, and never null. */
  readonly possible: string;
  readonly values: readonly SqlValue[];
}

/** The service documents 15. SQLite prepares 20 in a millisecond, and 100 in 50, during which the event loop does not turn. */
const maxLeaves = 20;

/** Comparisons and constants. */
function countLeaves(node: FilterNode): number {
  if ("nodes" in node) return node.nodes.reduce((sum, child) => sum + countLeaves(child), 0);
  return "node" in node ? countLeaves(node.node) : 1;
}

/**
 * Compiles a filter to three-valued SQL. A comparison that the database cannot decide is null, which SQL's own `AND`, `OR` and
 * `NOT` pass on only where it matters: the filter needs to be evaluated here on the few rows that are null in the end.
 */
export function filterSql(filter: FilterNode, dialect: SqlDialect): FilterSql {
  const values: SqlValue[] = [];
  const bind = (value: SqlValue): string => dialect.placeholder(values.push(value));
  const print = (node: FilterNode): string => {
    switch (node.op) {
      case "and":
      case "or":
        return `(${node.nodes.map(print).join(node.op === "and" ? " AND " : " OR ")})`;
      case "not":
        return `(NOT ${print(node.node)})`;
      case "constant":
        return node.value ? "TRUE" : "FALSE";
      default:
        return `(${dialect.comparison(node, bind)})`;
    }
  };
  let left = maxLeaves;
  const isShort = (node: FilterNode): boolean => {
    const count = countLeaves(node);
    if (count > left) return false;
    left -= count;
    return true;
  };
  const all = conjunctsOf(filter);
  const decided = all.filter(isShort).map(print);
  // One for all the others: databases limit the depth of an expression.
  const conjuncts = decided.length < all.length ? [dialect.unknown, ...decided] : decided;
  return {
    certain: conjuncts.join(" AND "),
    // Apart, so that those of keys alone are decided before the row is read.
    possible: conjuncts.map((sql) => `${sql} IS NOT FALSE`).join(" AND "),
    values,
  };
}
