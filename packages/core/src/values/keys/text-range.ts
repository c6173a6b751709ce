/** One end of a range of key text, compared by UTF-16 code units. */
export interface TextBound {
  readonly text: string;
  readonly inclusive: boolean;
}

/** A range of key text; a missing end is open. */
export interface TextRange {
  readonly lower?: TextBound;
  readonly upper?: TextBound;
}

/** Every text. */
export const everything: TextRange = {};

export const exactly = (text: string): TextRange => ({
  lower: { text, inclusive: true },
  upper: { text, inclusive: true },
});

/** Every text that begins with `prefix`. */
export function startingWith(prefix: string): TextRange {
  const upper = successor(prefix);
  return {
    lower: { text: prefix, inclusive: true },
    ...(upper === undefined ? {} : { upper: { text: upper, inclusive: false } }),
  };
}

/**
 * The least well-formed text above every text that begins with `text`: its last code point incremented. If the text
 * ends in U+FFFF, the increment carries over; undefined if nothing is left.
 */
export function successor(text: string): string | undefined {
  const points = Array.from(text);
  while (points.length > 0) {
    const next = nextInUtf16(points.pop() as string);
    if (next !== undefined) return points.join("") + next;
  }
  return undefined;
}

/** The next code point in UTF-16 order: the astral ones sort between U+D7FF and U+E000. */
function nextInUtf16(character: string): string | undefined {
  const point = character.codePointAt(0) as number;
  if (point === 0xffff) return undefined;
  if (point === 0x10ffff) return "\ue000";
  return String.fromCodePoint(point === 0xd7ff ? 0x10000 : point + 1);
}

/** The texts in both ranges; undefined if there are none. */
export function intersect(a: TextRange, b: TextRange): TextRange | undefined {
  if (a === everything) return isEmpty(b) ? undefined : b;
  const lower = tighter(a.lower, b.lower, 1);
  const upper = tighter(a.upper, b.upper, -1);
  const range: TextRange = { ...(lower && { lower }), ...(upper && { upper }) };
  return isEmpty(range) ? undefined : range;
}

/** The text of a range that contains exactly one; undefined otherwise. */
export function onlyText(range: TextRange): string | undefined {
  const { lower, upper } = range;
  const isOne = lower?.inclusive === true && upper?.inclusive === true && lower.text === upper.text;
  return isOne ? lower.text : undefined;
}

/** Whether a text lies in a range. */
export function contains({ lower, upper }: TextRange, text: string): boolean {
  if (lower !== undefined && !(text > lower.text || (lower.inclusive && text === lower.text))) return false;
  return upper === undefined || text < upper.text || (upper.inclusive && text === upper.text);
}

/** Whether no text can lie in a range. */
export function isEmpty({ lower, upper }: TextRange): boolean {
  if (lower === undefined || upper === undefined) return false;
  if (lower.text === upper.text) return !(lower.inclusive && upper.inclusive);
  return lower.text > upper.text;
}

/** The stricter bound; `direction` is 1 for lower bounds, -1 for upper ones. */
function tighter(
  a: TextBound | undefined,
  b: TextBound | undefined,
  direction: 1 | -1,
): TextBound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.text === b.text) return a.inclusive ? b : a;
  return a.text > b.text === (direction === 1) ? a : b;
}

/** Whether every text of `inner` begins with `prefix`. */
export function isWithinPrefix(inner: TextRange, prefix: string): boolean {
  const { lower, upper } = inner;
  return lower !== undefined && upper !== undefined && lower.text >= prefix && endsWithin(upper, prefix);
}

function endsWithin(upper: TextBound, prefix: string): boolean {
  const end = successor(prefix);
  return end === undefined || upper.text < end || (upper.text === end && !upper.inclusive);
}
