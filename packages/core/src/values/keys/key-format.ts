import type { TextRange } from "./text-range.ts";

// What a key format is. To add one, see `values/README.md`: it goes next to this file and is exported from `keys.ts`.

/** The order comparisons a key format can turn into a range of its text. */
export type RangeOperator = "eq" | "gt" | "ge" | "lt" | "le" | "startsWith";

/** What a format makes of a comparison: a range of its text, `everything`'s empty opposite, or nothing it can say. */
export type FormatRange = TextRange | "nothing" | undefined;

/**
 * Where the keys of new entities sort among those that are stored: `append-only` behind all of them, `prepend-only` before
 * all of them; `counter` behind or before them, if its numbers are given in order.
 */
export type KeyPattern = "append-only" | "prepend-only" | "counter";

/**
 * How one property becomes (part of) a key, in an order-keeping text that can be read back.
 *
 * Laws: `decode(encode(v))` equals `v`; for each operator that `range` answers, a stored part lies in the range
 * exactly when its value satisfies the comparison.
 */
export interface KeyFormat<Value> {
  /** As written in the model, for messages: `padded(10)`. */
  readonly format: string;
  /** The values it takes, in words: `an integer from 0 to 9999999999`. */
  readonly accepts: string;
  /** Length of every text it produces; undefined when it varies. */
  readonly width: number | undefined;
  /** The only text it produces: literal parts and kind prefixes. */
  readonly literal?: string;
  /** Every text it reads, where that is a list: a literal, and what it was before. */
  readonly literals?: readonly string[];
  /** Text that every text it produces begins with. */
  readonly prefix?: string;
  /** The characters its texts vary in, in rising order; decimal digits when absent. For `descending`. */
  readonly alphabet?: string;
  /** Where new values sort, for values that follow time or may be counted; absent for others. For `analyzeKeys`. */
  readonly pattern?: KeyPattern;
  /** The separator its keys are joined by, which sorts below every character it produces: order holds across parts. */
  readonly separator?: string;

  /** Returns undefined for a value the format does not take. May return text that is illegal in keys. */
  encode(value: Value): string | undefined;

  /** Returns undefined for text that `encode` does not produce. */
  decode(text: string): Value | undefined;

  /** Whether a value may be compared with this part at all; others are refused instead of matching nothing. */
  accepting(operand: unknown): boolean;

  /** Returns undefined when the format cannot turn this comparison into a range. */
  range(operator: RangeOperator, operand: unknown): FormatRange;

  /** @internal For type inference only. */
  readonly valueType?: (value: Value) => Value;
}

/** A format for a property of any type, where only its text matters. */
// oxlint-disable-next-line typescript/no-explicit-any -- the value type is checked where the model is declared
export type AnyKeyFormat = KeyFormat<any>;
