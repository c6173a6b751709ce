import type { ComparisonOperator } from "../../filter/filter-node.ts";

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
 * @param isAlwaysPresent - whether every entity has a property (key parts): only their negations may become the
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
        const folded = type === "or" ? foldEqualities(flat) : flat;
        return folded.length === 1 ? (folded[0] as NormalNode) : { type, nodes: folded };
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

function equalValues(node: NormalNode): readonly unknown[] | undefined {
  if (node.type === "in") return node.values;
  return node.type === "compare" && node.op === "eq" ? [node.value] : undefined;
}

/** Alternatives of equality on one property are one list of values: `a eq 1 or a eq 2` becomes `a in [1, 2]`. */
function foldEqualities(nodes: readonly NormalNode[]): readonly NormalNode[] {
  const lists = new Map<string, unknown[]>();
  for (const node of nodes) {
    const values = equalValues(node);
    if (values === undefined) continue;
    const { property } = node as PredicateLeaf;
    const list = lists.get(property);
    if (list === undefined) lists.set(property, [...values]);
    else list.push(...values);
  }
  return nodes.flatMap((node): readonly NormalNode[] => {
    if (equalValues(node) === undefined) return [node];
    const { property } = node as PredicateLeaf;
    const values = lists.get(property);
    lists.delete(property);
    return values === undefined ? [] : [{ type: "in", property, values }];
  });
}

const opposite: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "ne",
  ne: "eq",
  gt: "le",
  ge: "lt",
  lt: "ge",
  le: "gt",
};
