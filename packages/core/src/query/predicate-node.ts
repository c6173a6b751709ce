import type { ComparisonOperator } from "../filter/filter-node.ts";

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

/** A predicate whose negations stand at the leaves only. */
export type NormalNode =
  | PredicateLeaf
  | { readonly type: "not"; readonly node: PredicateLeaf }
  | { readonly type: "and" | "or"; readonly nodes: readonly NormalNode[] };

/** A condition that stands alone in a normal form. */
export type NormalLeaf = Exclude<NormalNode, { readonly nodes: unknown }>;

export const isList = (node: NormalNode): node is Exclude<NormalNode, NormalLeaf> =>
  node.type === "and" || node.type === "or";

/**
 * Pushes `not` to the leaves and flattens lists.
 *
 * @param isAlwaysPresent - tells properties that every entity has (key parts): only their negations may become the
 *   opposite comparison, since a comparison with an absent value is false either way
 */
export function normalize(node: PredicateNode, isAlwaysPresent: (property: string) => boolean): NormalNode {
  const walk = (current: PredicateNode, isNegated: boolean): NormalNode => {
    switch (current.type) {
      case "and":
      case "or": {
        const type = (current.type === "and") === isNegated ? "or" : "and";
        const nodes = current.nodes.map((child) => walk(child, isNegated));
        const flat = nodes.flatMap((child) => (child.type === type && isList(child) ? child.nodes : [child]));
        return flat.length === 1 ? (flat[0] as NormalNode) : { type, nodes: flat };
      }
      case "not":
        return walk(current.node, !isNegated);
      case "compare":
        if (!isNegated) return current;
        return isAlwaysPresent(current.property)
          ? { ...current, op: opposite[current.op] }
          : { type: "not", node: current };
      case "in":
      case "startsWith":
      case "exists":
        return isNegated ? { type: "not", node: current } : current;
      default:
        return current satisfies never;
    }
  };
  return walk(node, false);
}

const opposite: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "ne",
  ne: "eq",
  gt: "le",
  ge: "lt",
  lt: "ge",
  le: "gt",
};
