import { formsOf } from "../../values/edm/edm-types.ts";
import { evaluateFilter } from "../../values/filter/evaluate-filter.ts";
import {
  allOf,
  compare,
  type Comparison,
  countComparisons,
  type FilterNode,
} from "../../values/filter/filter-node.ts";

/** A filter within the budget, and whether it still contains all conditions. */
export interface FittedFilter {
  readonly filter: FilterNode | undefined;
  readonly isComplete: boolean;
}

/**
 * Weakens a filter until it has at most `budget` comparisons: long lists of equal values become a range from the
 * least to the greatest, then conjuncts are left out, the longest first. The conditions that were dropped are checked
 * on the client.
 */
export function fitComparisons(filter: FilterNode | undefined, budget: number): FittedFilter {
  if (countComparisons(filter) <= budget) return { filter, isComplete: true };
  const conjuncts = filter?.op === "and" ? filter.nodes : filter === undefined ? [] : [filter];
  const weakened = conjuncts
    .map((node) => (countComparisons(node) > 2 ? (coveringRange(node) ?? node) : node))
    .sort((a, b) => countComparisons(a) - countComparisons(b));
  const snapshotValue: FilterNode[] = [];
  let used = 0;
  for (const node of weakened) {
    used += countComparisons(node);
    if (used > budget) break;
    snapshotValue.push(node);
  }
  return { filter: allOf(snapshotValue), isComplete: false };
}

/** `P eq a or P eq b or …` as `P ge min and P le max`; a millisecond of DateTime counts as the range it is. */
function coveringRange(node: FilterNode): FilterNode | undefined {
  if (node.op !== "or") return undefined;
  const ranges = node.nodes.map(endsOf);
  const [first] = ranges;
  if (first === undefined || ranges.some((range) => range?.[0].name !== first[0].name)) return undefined;
  const { name, literal } = first[0];
  if (!formsOf(literal.edm).isOrdered) return undefined;
  const ends = ranges as Ends[];
  const least = ends.map(([low]) => low).reduce((a, b) => (isLess(b, a) ? b : a));
  const greatest = ends.map(([, high]) => high).reduce((a, b) => (isLess(a, b) ? b : a));
  return { op: "and", nodes: [compare("ge", name, least.literal), compare("le", name, greatest.literal)] };
}

type Ends = readonly [low: Comparison, high: Comparison];

function endsOf(node: FilterNode): Ends | undefined {
  if (node.op === "eq") return [node, node];
  if (node.op !== "and" || node.nodes.length !== 2) return undefined;
  const [low, high] = node.nodes as readonly [FilterNode, FilterNode];
  return low.op === "ge" && high.op === "le" && low.name === high.name ? [low, high] : undefined;
}

const isLess = (a: Comparison, b: Comparison): boolean =>
  evaluateFilter(compare("lt", a.name, b.literal), () => a.literal);
