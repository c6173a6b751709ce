import type { SourceCondition } from "./derived-format.ts";

// The texts of a derived format that keeps the order of its values: of two values, the greater never has the lesser text.

/** Maximum number of texts that one plan lists; with more, it reads one range of keys. */
const maxTexts = 64;

/**
 * Lists the texts of values that satisfy all conditions, in order; undefined if they cannot be listed, or are too many.
 *
 * @param next - the text that follows another; undefined if the format does not know it
 */
export function orderedTexts(
  conditions: readonly SourceCondition[],
  encode: (value: unknown) => string | undefined,
  next: (text: string) => string | undefined,
): readonly string[] | undefined {
  let [from, to]: (string | undefined)[] = [];
  let listed: readonly string[] | undefined;
  for (const condition of conditions) {
    if (condition.op === "in") {
      const own = new Set(condition.operands.map(encode).filter((text) => text !== undefined));
      listed = listed === undefined ? [...own] : listed.filter((text) => own.has(text));
      continue;
    }
    const text = encode(condition.operand);
    if (text === undefined) continue;
    const { op } = condition;
    if (op !== "lt" && op !== "le" && (from === undefined || text > from)) from = text;
    if (op !== "gt" && op !== "ge" && (to === undefined || text < to)) to = text;
  }
  const isInside = (text: string): boolean =>
    (from === undefined || text >= from) && (to === undefined || text <= to);
  if (listed !== undefined) return listed.filter(isInside).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return from === undefined || to === undefined ? undefined : textsBetween(from, to, next);
}

function textsBetween(
  from: string,
  to: string,
  next: (text: string) => string | undefined,
): readonly string[] | undefined {
  const found: string[] = [];
  for (let text: string | undefined = from; text !== undefined && text <= to; text = next(text)) {
    if (found.length === maxTexts) return undefined;
    found.push(text);
    if (text === to) return found;
  }
  return from > to ? [] : undefined;
}
