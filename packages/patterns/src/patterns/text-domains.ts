import { maxKeyLength, storedGuid } from "@partita/core/internal";
import type { Domain } from "./domain.ts";
import { checkLengths, type LengthOptions } from "./domain-options.ts";
import { unique } from "./domain.ts";

/** Characters that no key may hold, and the character that sorts last. */
const forbidden = "/\\#?\u0001";
const last = "\uffff\u{10ffff}";

/**
 * Any text up to the length of a key. Its corners are the empty text, separators, characters that keys may
 * not have, characters that sort last, and the longest text.
 *
 * @param options - lengths in UTF-16 units; `min` defaults to 0 and `max` to 1024
 */
export function anyText(options: LengthOptions = {}): Domain<string> {
  const [min, max] = checkLengths("anyText", options, maxKeyLength);
  const fit = (text: string): string => text.slice(0, max).toWellFormed().padEnd(min, "a");
  return {
    takes: `text of ${min} to ${max} characters`,
    form: { type: "text", min, max },
    accepts: (value) =>
      typeof value === "string" && value.isWellFormed() && value.length >= min && value.length <= max,
    corners: ({ separators }) =>
      unique(
        ["A", "", ...separators.map((separator) => `a${separator}b`), forbidden, last, "z".repeat(max)].map(
          fit,
        ),
      ),
    spread: (count) => unique(Array.from({ length: count }, (_, i) => fit(`A${i}`))),
  };
}

/** A GUID in its text form. */
export function anyGuid(): Domain<string> {
  return {
    takes: "a GUID",
    form: { type: "guid" },
    accepts: (value) => typeof value === "string" && storedGuid(value) !== undefined,
    corners: () => [guidOf(0), "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    spread: (count) => Array.from({ length: count }, (_, i) => guidOf(i)),
  };
}

/** GUIDs with different first digits. */
const guidOf = (i: number): string => `${i.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
