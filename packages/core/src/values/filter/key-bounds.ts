import { everything, intersect, onlyText, type TextRange } from "../keys/text-range.ts";
import { textRange } from "../keys/verbatim.ts";
import {
  allOf,
  compare,
  type Comparison,
  type FilterNode,
  isTextLiteral,
  textLiteral,
} from "./filter-node.ts";
import type { KeyName } from "../keys/key-rules.ts";

/** A rectangle of keys, as a store can seek to. The RowKey range only applies if the PartitionKey is a single text. */
export interface KeyBounds {
  readonly partitionKey: TextRange;
  readonly rowKey: TextRange;
}

/**
 * The keys that a filter can match, from the comparisons on PartitionKey and RowKey that all its rows must satisfy;
 * undefined if they contradict each other, or one of them is `false`. The bounds may be too wide: the filter still
 * decides.
 */
export function keyBoundsOf(filter: FilterNode | undefined): KeyBounds | undefined {
  let partitionKey: TextRange | undefined = everything;
  let rowKey: TextRange | undefined = everything;
  for (const node of conjunctsOf(filter)) {
    if (node.op === "constant" && !node.value) return undefined;
    if (!isKeyBound(node)) continue;
    const range = textRange(node.op, String(node.literal.value));
    if (node.name === "RowKey") rowKey = rowKey && intersect(rowKey, range);
    else partitionKey = partitionKey && intersect(partitionKey, range);
  }
  return partitionKey && rowKey && { partitionKey, rowKey };
}

/** The filter for exactly these bounds; undefined if they are open. */
export function filterOfBounds({ partitionKey, rowKey }: KeyBounds): FilterNode | undefined {
  return allOf([...comparisons("PartitionKey", partitionKey), ...comparisons("RowKey", rowKey)]);
}

function comparisons(key: KeyName, range: TextRange): FilterNode[] {
  const only = onlyText(range);
  if (only !== undefined) return [compare("eq", key, textLiteral(only))];
  const { lower, upper } = range;
  return [
    ...(lower === undefined ? [] : [compare(lower.inclusive ? "ge" : "gt", key, textLiteral(lower.text))]),
    ...(upper === undefined ? [] : [compare(upper.inclusive ? "le" : "lt", key, textLiteral(upper.text))]),
  ];
}

/** A comparison that bounds PartitionKey or RowKey. */
export interface KeyBound extends Comparison {
  readonly name: KeyName;
  readonly op: Exclude<Comparison["op"], "ne">;
}

export const isKeyBound = (node: FilterNode): node is KeyBound =>
  "name" in node &&
  (node.name === "PartitionKey" || node.name === "RowKey") &&
  isTextLiteral(node.literal) &&
  node.op !== "ne";

/** The nodes that must all hold. */
export function conjunctsOf(filter: FilterNode | undefined): readonly FilterNode[] {
  if (filter === undefined) return [];
  return filter.op === "and" ? filter.nodes.flatMap(conjunctsOf) : [filter];
}
