import { isDate } from "../../values/errors/built-ins.ts";

/**
 * Removes a value from a message about it: errors are logged, and stored values do not belong in logs. A text or
 * number is replaced where it appears as a separate word; for an object, everything in it is replaced.
 */
export function hideValue(message: string, value: unknown): string {
  const texts = [...textsOf(value, 0)].filter((text) => text !== "" && text.length <= message.length);
  // The longest first: a text may be part of another.
  const longestFirst = [...new Set(texts)].toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, text) => rest.replaceAll(wholeWord(text), "…"), message);
}

/** How deep objects are looked into; deeper values do not appear in messages. */
const maxDepth = 5;

/** The forms that libraries use to write a value. */
function* textsOf(value: unknown, depth: number): Generator<string> {
  switch (typeof value) {
    case "string":
      yield value;
      // As written between the quotation marks of JSON.
      yield JSON.stringify(value).slice(1, -1);
      return;
    case "number":
    case "bigint":
      yield String(value);
      return;
    case "object":
      if (isDate(value)) yield* dateTexts(value);
      else if (value !== null && depth < maxDepth)
        for (const member of Object.values(value)) yield* textsOf(member, depth + 1);
      return;
    default:
      // true, false, undefined and null describe the problem, and reveal nothing more.
      return;
  }
}

function* dateTexts(date: Date): Generator<string> {
  if (Number.isNaN(date.getTime())) return;
  yield date.toISOString();
  yield String(date);
  yield date.toUTCString();
  yield date.toLocaleString();
  yield date.toDateString();
  yield date.toLocaleDateString();
  yield String(date.getTime());
}

/** A text that is not preceded or followed by a letter or digit: 7 is not part of 17. */
function wholeWord(text: string): RegExp {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "gu");
}
