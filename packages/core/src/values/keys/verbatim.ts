import type { KeyFormat, RangeOperator } from "./key-format.ts";
import { exactly, startingWith, type TextRange } from "./text-range.ts";

/**
 * The unconverted text: the default for strings. Characters that the service forbids in keys are an error, and a part
 * that is not the last may not contain the separator.
 *
 * ```ts
 * const partitionKey = { channel: verbatim };
 * console.log(verbatim.encode("Channel9")); // → Channel9
 * ```
 */
export const verbatim: KeyFormat<string> = {
  format: "verbatim",
  accepts: "a string",
  width: undefined,
  encode: (value) => (typeof value === "string" ? value : undefined),
  decode: (text) => text,
  accepting: (operand) => typeof operand === "string",
  plainSchema: { type: "string" },
  range: (operator, operand) => (typeof operand === "string" ? textRange(operator, operand) : "nothing"),
};

/** The range of texts that match a comparison with `text`, in UTF-16 order. */
export function textRange(operator: RangeOperator, text: string): TextRange {
  switch (operator) {
    case "eq":
      return exactly(text);
    case "startsWith":
      return startingWith(text);
    case "ge":
    case "gt":
      return { lower: { text, inclusive: operator === "ge" } };
    case "le":
    case "lt":
      return { upper: { text, inclusive: operator === "le" } };
    default:
      return operator satisfies never;
  }
}
