// `plan-query.ts` calls `mergeRanges` with the key ranges of all kinds and alternatives. It sorts and merges them
// into disjoint ranges, as in the classic merging of intervals.

import type { KeyBounds } from "../../values/filter/key-bounds.ts";
import { onlyText, startingWith, type TextBound, type TextRange } from "../../values/keys/text-range.ts";
import { prefixOf } from "../../model/declaration/build-indexes.ts";
import type { NormalNode } from "../build/predicate-node.ts";
import { type PlannedKind, type QueryType, typeOf } from "./query-plan.ts";

/** A range of keys that one alternative of one kind's predicate allows. */
export interface RangeOfKind {
  readonly bounds: KeyBounds;
  readonly kind: PlannedKind;
  /** The part of the predicate that the keys do not decide. */
  readonly rest: NormalNode | undefined;
}

/** A range and every kind that has rows in it. */
export interface MergedRange {
  readonly bounds: KeyBounds;
  readonly kinds: readonly { readonly kind: PlannedKind; readonly rest: NormalNode | undefined }[];
}

/**
 * Sorts ranges by key and joins those that overlap, so each row is read once and rows come in key order. If two
 * alternatives of one kind meet, its complete predicate decides again.
 */
export function mergeRanges(ranges: readonly RangeOfKind[]): MergedRange[] {
  const sorted = [...ranges].sort(
    (a, b) =>
      compareLower(a.bounds.partitionKey, b.bounds.partitionKey) ||
      compareLower(a.bounds.rowKey, b.bounds.rowKey),
  );
  const merged: MergedRange[] = [];
  for (const { bounds, kind, rest } of sorted) {
    merged.push({ bounds, kinds: [{ kind, rest }] });
    // A union may reach back to ranges that were apart before it.
    for (let i = merged.length - 2; i >= 0 && interleave(at(merged, i).bounds, at(merged, i + 1).bounds); i--)
      merged.splice(i, 2, joined(at(merged, i), at(merged, i + 1)));
  }
  return merged;
}

const at = (ranges: readonly MergedRange[], index: number): MergedRange => ranges[index] as MergedRange;

/** Ranges that coincide keep the rest of each kind's predicate; any other union is checked completely again. */
function joined(a: MergedRange, b: MergedRange): MergedRange {
  const bounds = union(a.bounds, b.bounds);
  const isSame = JSON.stringify(a.bounds) === JSON.stringify(b.bounds);
  const kinds = new Map(a.kinds.map((each) => [each.kind, isSame ? each.rest : each.kind.predicate]));
  for (const { kind, rest } of b.kinds) kinds.set(kind, isSame && !kinds.has(kind) ? rest : kind.predicate);
  return { bounds, kinds: [...kinds].map(([kind, rest]) => ({ kind, rest })) };
}

/** Whether rows of both could alternate: within one partition if RowKeys overlap, else if partitions do. */
function interleave(a: KeyBounds, b: KeyBounds): boolean {
  const partition = onlyText(a.partitionKey);
  if (partition !== undefined && partition === onlyText(b.partitionKey)) return overlap(a.rowKey, b.rowKey);
  return overlap(a.partitionKey, b.partitionKey);
}

/**
 * The least range that holds two others. Over several partitions, the RowKeys that it leaves out are those of other classes
 * and of indexes.
 */
export const union = (a: KeyBounds, b: KeyBounds): KeyBounds => ({
  partitionKey: unionOf(a.partitionKey, b.partitionKey),
  rowKey: unionOf(a.rowKey, b.rowKey),
});

/** Ranges of one key, sorted, those that overlap as one. */
export function joinOverlapping(ranges: readonly TextRange[]): readonly TextRange[] {
  if (ranges.length < 2) return ranges;
  const joined: TextRange[] = [];
  for (const range of [...ranges].sort(compareLower)) {
    const last = joined.at(-1);
    if (last !== undefined && overlap(last, range)) joined[joined.length - 1] = unionOf(last, range);
    else joined.push(range);
  }
  return joined;
}

/** The least range that holds two others. */
export function unionOf(a: TextRange, b: TextRange): TextRange {
  const lower = compareLower(a, b) <= 0 ? a.lower : b.lower;
  const upper = compareUpper(a, b) >= 0 ? a.upper : b.upper;
  return { ...(lower && { lower }), ...(upper && { upper }) };
}

/** For ranges in order of their lower ends: whether the second begins before the first has ended. */
function overlap({ upper }: TextRange, { lower }: TextRange): boolean {
  if (upper === undefined || lower === undefined) return true;
  return lower.text < upper.text || (lower.text === upper.text && lower.inclusive && upper.inclusive);
}

const compareLower = (a: TextRange, b: TextRange): number => compareBounds(a.lower, b.lower, -1);
const compareUpper = (a: TextRange, b: TextRange): number => compareBounds(a.upper, b.upper, 1);

/** Orders ends of ranges; an open one sorts before every lower end (`side` -1) and after every upper end (1). */
function compareBounds(a: TextBound | undefined, b: TextBound | undefined, side: 1 | -1): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? side : -side;
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return a.inclusive === b.inclusive ? 0 : a.inclusive ? side : -side;
}

/**
 * The type of a request for a range. If all keys of a class have a common prefix, the range that holds all of them
 * reads as much of a partition as if they had none: it is rated as the partition. A kind's name is no such prefix,
 * since it excludes the rows of other kinds.
 */
export function typeOfRange({ bounds, kinds }: MergedRange): QueryType {
  const type = typeOf(bounds);
  const isComplete =
    type === "row range scan" &&
    kinds.every(
      ({ kind: { model } }) =>
        model.kind?.key !== "prefix" && isCompleteOf(bounds.rowKey, prefixOf(model.rowKey)),
    );
  return isComplete ? "partition scan" : type;
}

/** Whether a range of RowKeys holds all that begin with a prefix; without a prefix, whether it holds all RowKeys. */
export function isCompleteOf({ lower, upper }: TextRange, prefix: string | undefined): boolean {
  if (prefix === undefined) return lower === undefined && upper === undefined;
  if (lower !== undefined && lower.text > prefix) return false;
  if (upper === undefined) return true;
  const end = startingWith(prefix).upper;
  return end !== undefined && upper.text >= end.text;
}
