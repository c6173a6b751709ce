import { conjunctsOf } from "./key-bounds.ts";
import type { Comparison, ComparisonOperator, FilterNode } from "./filter-node.ts";

/** The values that a statement accepts for its placeholders. */
export type SqlValue = string | number | bigint | Uint8Array;

/** A piece of SQL and the values of its placeholders. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The parts of SQL that depend on the database. */
export interface SqlDialect {
  /** The null of three-valued logic: {@link evaluateFilter} must decide. */
  readonly unknown: string;
  /** The placeholder of a statement's value, counted from 1. */
  readonly placeholder: (index: number) => string;
  /**
   * A comparison: the result of `evaluateFilter` for the row, or null. It never fails, for any row.
   *
   * @param bind - adds a value to the statement and returns its placeholder; call it in the order of the placeholders
   *   in the SQL
   */
  readonly comparison: (node: Comparison, bind: (value: SqlValue) => string) => string;
}

/** The operators of comparisons in SQL. */
export const sqlSigns: Readonly<Record<ComparisonOperator, string>> = {
  eq: "=",
  ne: "<>",
  gt: ">",
  ge: ">=",
  lt: "<",
  le: "<=",
};

/** A filter in SQL. Both conditions take the same values. */
export interface FilterSql {
  /** True for a row that satisfies the filter; null if only `evaluateFilter` can decide. */
  readonly certain: string;
  /** True for a row that may satisfy it, and never null. */
  readonly possible: string;
  readonly values: readonly SqlValue[];
}

/** The service documents 15. SQLite prepares 20 in a millisecond and 100 in 50, and that blocks the event loop. */
const maxLeaves = 20;

/** Comparisons and constants. */
function countLeaves(node: FilterNode): number {
  if ("nodes" in node) return node.nodes.reduce((sum, child) => sum + countLeaves(child), 0);
  return "node" in node ? countLeaves(node.node) : 1;
}

/**
 * Compiles a filter to three-valued SQL. A comparison that the database cannot decide is null, and SQL's own `AND`,
 * `OR` and `NOT` propagate it only if it matters. The filter is then evaluated here for the few rows with a null
 * result.
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
    // Separate conditions, so comparisons of keys are decided before the row is read.
    possible: conjuncts.map((sql) => `${sql} IS NOT FALSE`).join(" AND "),
    values,
  };
}
