import type { KeyFormat, RangeOperator } from "./key-format.ts";
import { successor, type TextRange } from "./text-range.ts";
import { textRange } from "./verbatim.ts";

/** The separator of keys that have an escaped part: every character of an escape sorts above it. */
const escapedSeparator = "!";

/**
 * Any well-formed text, in a reversible escape that stays readable and preserves UTF-16 order, also across parts:
 * `a/b.txt` is stored as `a.~b.txt`, `New York` as `New"20York`; `john.doe@example.com` is unchanged. Keys with such a
 * part are joined by `!`. The limit of 512 characters applies to the escaped text.
 *
 * ```ts
 * const partitionKey = { path: escaped };
 * console.log(escaped.encode("a/b.txt")); // → a.~b.txt
 * ```
 */
export const escaped: KeyFormat<string> = {
  format: "escaped",
  accepts: "a string",
  width: undefined,
  separator: escapedSeparator,
  encode: (value) => (typeof value === "string" ? escape(value) : undefined),
  decode: unescape,
  accepting: (operand) => typeof operand === "string",
  plainSchema: { type: "string" },
  range: (operator, operand) => (typeof operand === "string" ? escapedRange(operator, operand) : "nothing"),
};

/** The escape preserves order, so comparing texts is the same as comparing their escapes. */
function escapedRange(operator: RangeOperator, text: string): TextRange {
  const own = escape(text);
  if (operator !== "startsWith") return textRange(operator, own);
  const end = successor(text);
  return {
    lower: { text: own, inclusive: true },
    ...(end !== undefined && { upper: { text: escape(end), inclusive: false } }),
  };
}

/**
 * All characters that are escaped: low characters, three forbidden ones, the first halves of their replacements, C1
 * controls.
 */
// oxlint-disable-next-line no-control-regex
const special = /[\u0000-\u0023/?\\.>[~\u007f-\u009f]/;

/**
 * Forbidden characters and their two-character replacements; the first of the two sorts right below the forbidden one.
 */
const pairs: Readonly<Record<string, string>> = { "/": ".~", "?": ">~", "\\": "[~" };
const unpaired: Readonly<Record<string, string>> = { ".": "/", ">": "?", "[": "\\" };

/** By UTF-16 unit, to preserve order; most text needs no escape. */
function escape(text: string): string {
  if (!special.test(text)) return text;
  let result = "";
  for (let i = 0; i < text.length; i++) {
    const unit = text[i] as string;
    const code = text.charCodeAt(i);
    if (code <= 0x23) result += `"${hex(code)}`;
    else if (code >= 0x7f && code <= 0x9f) result += `~~${hex(code)}`;
    else if (unit in pairs) result += pairs[unit];
    // The first half of a replacement, if the next character looks like its second half, or sorts among those.
    else if ((unit in unpaired || unit === "~") && text.charCodeAt(i + 1) >= 0x7d) result += `${unit}}`;
    else result += unit;
  }
  return result;
}

/** Undefined for text that the escape never produces. */
function unescape(stored: string): string | undefined {
  if (!special.test(stored)) return stored;
  const text = stored.replaceAll(
    /"([0-9A-F]{2})|~~([0-9A-F]{2})|([.>[])~|([.>[~])\}/g,
    (...match: unknown[]) => {
      const [, low, high, pair, snapshotValue] = match as (string | undefined)[];
      if (low !== undefined || high !== undefined)
        return String.fromCharCode(Number.parseInt(low ?? high ?? "", 16));
      return pair === undefined ? (snapshotValue as string) : (unpaired[pair] as string);
    },
  );
  return escape(text) === stored ? text : undefined;
}

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(2, "0");
