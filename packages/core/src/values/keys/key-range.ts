import type { KeyPart, KeyTemplate } from "./key-template.ts";
import { successor, type TextBound, type TextRange } from "./text-range.ts";

/** A range of complete keys, and whether every key in it satisfies the part's range. */
export interface KeyRange {
  readonly range: TextRange;
  /** False for a covering range: its rows must be checked again. */
  readonly isExact: boolean;
}

/**
 * The keys that begin with `prefix` (the equal leading parts, each with its separator) with part `index` in
 * `part`. Exact for the last part, for parts of fixed width and for escaped ones; a covering range for other texts,
 * since the separator does not sort below every character.
 */
export function keyRangeOfPart(
  template: KeyTemplate,
  index: number,
  prefix: string,
  part: TextRange,
): KeyRange {
  const isLast = index === template.parts.length - 1;
  if (isLast)
    return { range: within(prefix, glued(prefix, part.lower), glued(prefix, part.upper)), isExact: true };

  const after = successor(template.separator) as string;
  const { width, separator } = (template.parts[index] as KeyPart).format;
  const isOrdered =
    separator === template.separator ||
    (width !== undefined && fits(part.lower, width, true) && fits(part.upper, width, false));
  return isOrdered ? orderedRange(prefix, part, after) : coveringRange(prefix, part, after);
}

/**
 * Whether a bound stays valid when a separator follows: it has the full width, or is a prefix and keeps all texts that
 * start with it on one side.
 */
function fits(bound: TextBound | undefined, width: number, isLower: boolean): boolean {
  if (bound === undefined || bound.text.length === width) return true;
  return bound.text.length < width && bound.inclusive === isLower;
}

/** The keys that begin with `prefix`. */
export function keysStartingWith(prefix: string): TextRange {
  return within(prefix, undefined, undefined);
}

function orderedRange(prefix: string, { lower, upper }: TextRange, after: string): KeyRange {
  const from = lower && { text: prefix + lower.text + (lower.inclusive ? "" : after), inclusive: true };
  const to = upper && { text: prefix + upper.text + (upper.inclusive ? after : ""), inclusive: false };
  return { range: within(prefix, from, to), isExact: true };
}

/**
 * A part v above `lower` stays above it regardless of the text after it. A part below `upper` is either less at some
 * character, or is a prefix of `upper` with the separator after it: the greatest such prefix is the upper bound.
 */
function coveringRange(prefix: string, { lower, upper }: TextRange, after: string): KeyRange {
  let greatest: string | undefined;
  if (upper !== undefined) {
    greatest = after;
    for (let length = 1; length <= upper.text.length; length++) {
      const beginning = upper.text.slice(0, length) + after;
      if (beginning > greatest) greatest = beginning;
    }
  }
  const from = lower && { text: prefix + lower.text, inclusive: true };
  const to = greatest === undefined ? undefined : { text: prefix + greatest, inclusive: false };
  return { range: within(prefix, from, to), isExact: false };
}

/** Bounds, with open ends closed by the prefix itself. */
function within(prefix: string, lower: TextBound | undefined, upper: TextBound | undefined): TextRange {
  const end = prefix === "" ? undefined : successor(prefix);
  const from = lower ?? (prefix === "" ? undefined : { text: prefix, inclusive: true });
  const to = upper ?? (end === undefined ? undefined : { text: end, inclusive: false });
  return { ...(from && { lower: from }), ...(to && { upper: to }) };
}

const glued = (prefix: string, bound: TextBound | undefined): TextBound | undefined =>
  bound && { text: prefix + bound.text, inclusive: bound.inclusive };
