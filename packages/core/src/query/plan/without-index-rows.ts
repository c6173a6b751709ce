import { compare, type FilterNode, textLiteral } from "../../values/filter/filter-node.ts";
import {
  contains,
  intersect,
  isEmpty,
  onlyText,
  startingWith,
  type TextRange,
} from "../../values/keys/text-range.ts";
import type { MergedRange } from "./merge-ranges.ts";

/** A range without rows that are no entities. */
export interface EntityRange {
  readonly range: MergedRange;
  /** The condition that excludes index rows, if the keys of the range do not. */
  readonly filter: FilterNode | undefined;
}

/**
 * Removes index rows from a range: by the range itself, by two ranges of one partition, or by a filter. This does not
 * change the rating of the query.
 */
export function withoutIndexRows(range: MergedRange, prefixes: readonly string[]): EntityRange[] {
  const { partitionKey, rowKey } = range.bounds;
  const within = prefixes.map(startingWith).filter((each) => intersect(rowKey, each) !== undefined);
  if (within.length === 0) return [{ range, filter: undefined }];
  const only = onlyText(rowKey);
  if (only !== undefined && within.some((each) => contains(each, only))) return [];
  const pieces = within.reduce<TextRange[]>(
    (left, each) => left.flatMap((piece) => subtract(piece, each)),
    [rowKey],
  );
  const isListed = pieces.length <= (onlyText(partitionKey) === undefined ? 1 : 2);
  if (isListed)
    return pieces.map((piece) => ({
      range: { ...range, bounds: { partitionKey, rowKey: piece } },
      filter: undefined,
    }));
  const filters = within.map(outside);
  return [{ range, filter: filters.length === 1 ? filters[0] : { op: "and", nodes: filters } }];
}

/** The rest of a range after another one is subtracted. */
function subtract(from: TextRange, { lower, upper }: TextRange): TextRange[] {
  const below: TextRange = { ...from, ...(lower && { upper: { text: lower.text, inclusive: false } }) };
  const above: TextRange = { ...from, ...(upper && { lower: { text: upper.text, inclusive: true } }) };
  const pieces: TextRange[] = [];
  if (lower !== undefined && intersect(from, below) !== undefined)
    pieces.push(intersect(from, below) as TextRange);
  if (upper !== undefined && intersect(from, above) !== undefined)
    pieces.push(intersect(from, above) as TextRange);
  return pieces.filter((piece) => !isEmpty(piece));
}

function outside({ lower, upper }: TextRange): FilterNode {
  const nodes = [
    ...(lower === undefined ? [] : [compare("lt", "RowKey", textLiteral(lower.text))]),
    ...(upper === undefined ? [] : [compare("ge", "RowKey", textLiteral(upper.text))]),
  ];
  return nodes.length === 1 ? (nodes[0] as FilterNode) : { op: "or", nodes };
}
