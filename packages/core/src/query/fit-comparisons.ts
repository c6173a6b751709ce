import { evaluateFilter } from "../filter/evaluate-filter.ts";
import { allOf, compare, type Comparison, countComparisons, type FilterNode } from "../filter/filter-node.ts";

/** A filter within the budget, and whether it still says all that it did. */
export interface FittedFilter {
  readonly filter: FilterNode | undefined;
  readonly isWhole: boolean;
}

/**
 * Weakens a filter until it has at most `budget` comparisons: long lists of equal values become a range from the
 * least to the greatest, then conjuncts are left out, the longest first. What was lost is checked on the client.
 */
export function fitComparisons(filter: FilterNode | undefined, budget: number): FittedFilter {
  if (countComparisons(filter) <= budget) return { filter, isWhole: true };
  const conjuncts = filter?.op === "and" ? filter.nodes : filter === undefined ? [] : [filter];
  const weakened = conjuncts
    .map((node) => (countComparisons(node) > 2 ? (coveringRange(node) ?? node) : node))
    .sort((a, b) => countComparisons(a) - countComparisons(b));
  const kept: FilterNode[] = [];
  let used = 0;
  for (const node of weakened) {
    used += countComparisons(node);
    if (used > budget) break;
    kept.push(node);
  }
  return { filter: allOf(kept), isWhole: false };
}

/** `P eq a or P eq b or …` as `P ge min and P le max`. */
function coveringRange(node: FilterNode): FilterNode | undefined {
  if (node.op !== "or") return undefined;
  const leaves = node.nodes.filter((child): child is Comparison => child.op === "eq");
  const name = leaves[0]?.name;
  if (leaves.length !== node.nodes.length || name === undefined || leaves.some((leaf) => leaf.name !== name))
    return undefined;
  const { edm } = (leaves[0] as Comparison).literal;
  if (edm === "Edm.Guid" || edm === "Edm.Binary" || edm === "Edm.Boolean") return undefined;
  const least = leaves.reduce((a, b) => (isLess(b, a) ? b : a));
  const greatest = leaves.reduce((a, b) => (isLess(a, b) ? b : a));
  return { op: "and", nodes: [compare("ge", name, least.literal), compare("le", name, greatest.literal)] };
}

const isLess = (a: Comparison, b: Comparison): boolean =>
  evaluateFilter(compare("lt", a.name, b.literal), () => a.literal);
