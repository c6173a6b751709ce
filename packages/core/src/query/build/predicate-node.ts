import type { ComparisonOperator } from "../../values/filter/filter-node.ts";

/** A condition on one property of a class. */
export type PredicateLeaf =
  | {
      readonly type: "compare";
      readonly property: string;
      readonly op: ComparisonOperator;
      readonly value: unknown;
    }
  | { readonly type: "in"; readonly property: string; readonly values: readonly unknown[] }
  | { readonly type: "startsWith"; readonly property: string; readonly value: string }
  | { readonly type: "exists"; readonly property: string };

/** A predicate over properties of a class, as data. */
export type PredicateNode =
  | PredicateLeaf
  | { readonly type: "and" | "or"; readonly nodes: readonly PredicateNode[] }
  | { readonly type: "not"; readonly node: PredicateNode };

/** A predicate with negations only at its leaves. */
export type NormalNode =
  | PredicateLeaf
  | { readonly type: "not"; readonly node: PredicateLeaf }
  | { readonly type: "and" | "or"; readonly nodes: readonly NormalNode[] };

/** A single condition in a normal form. */
export type NormalLeaf = Exclude<NormalNode, { readonly nodes: unknown }>;

export const isList = (node: NormalNode): node is Exclude<NormalNode, NormalLeaf> =>
  node.type === "and" || node.type === "or";
