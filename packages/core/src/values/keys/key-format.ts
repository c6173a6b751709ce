import type { PlainSchema } from "../edm/edm-forms.ts";
import type { EdmType } from "../edm/stored-entity.ts";
import type { TextRange } from "./text-range.ts";

// The interface of key formats. To add one, see `values/README.md`: it goes next to this file; `keys.ts` exports it.

/** The order comparisons that a key format can convert to a range of its text. */
export type RangeOperator = "eq" | "gt" | "ge" | "lt" | "le" | "startsWith";

/**
 * The result of a comparison: a range of the format's text, `"nothing"` if no text matches, or undefined if the format
 * cannot convert it.
 */
export type FormatRange = TextRange | "nothing" | undefined;

/**
 * Where keys of new entities sort among the stored ones: `append-only` after all of them, `prepend-only` before all of
 * them; `counter` after or before them, if its numbers are assigned in order.
 */
export type KeyPattern = "append-only" | "prepend-only" | "counter";

/**
 * How one property becomes (part of) a key, as text that preserves order and can be read back.
 *
 * Laws: `decode(encode(v))` equals `v`. If `range` returns a range for an operator, a stored part lies in it exactly
 * when its value satisfies the comparison.
 */
export interface KeyFormat<Value> {
  /** The notation in the model, for messages: `padded(10)`. */
  readonly format: string;
  /** The accepted values, as text: `an integer from 0 to 9999999999`. */
  readonly accepts: string;
  /** Length of every text that it produces; undefined if it varies. */
  readonly width: number | undefined;
  /** The only text that it produces, for literal parts and kind prefixes. */
  readonly literal?: string;
  /** All texts that it reads, if they are a list: a literal and its former texts. */
  readonly literals?: readonly string[];
  /** A prefix that all its texts start with. */
  readonly prefix?: string;
  /** The characters that vary in its texts, in rising order; decimal digits when absent. For `descending`. */
  readonly alphabet?: string;
  /** Where new values sort, for values that follow time or may be counted; otherwise absent. For `analyzeKeys`. */
  readonly pattern?: KeyPattern;
  /**
   * The separator that joins its keys. It sorts below every character that the format produces, so order holds across
   * parts.
   */
  readonly separator?: string;

  /** Returns undefined for a value that the format does not take. May return text that is not allowed in keys. */
  encode(value: Value): string | undefined;

  /** Returns undefined for text that `encode` does not produce. */
  decode(text: string): Value | undefined;

  /** Whether a value may be compared with this part at all; other values are refused instead of matching nothing. */
  accepting(operand: unknown): boolean;

  /** Returns undefined if the format cannot convert this comparison to a range. */
  range(operator: RangeOperator, operand: unknown): FormatRange;

  /** Makes the value of a new entity that has none; absent for formats without such values. */
  generate?(): Value;

  /** The EDM type of its values, for tools that show, compare and edit them; Edm.String when absent. */
  readonly edm?: EdmType;

  /** What plain data has of its values, as JSON Schema; any value when absent. */
  readonly plainSchema?: PlainSchema;

  /** @internal For type inference only. */
  readonly valueType?: (value: Value) => Value;
}

/** A format that makes the values of new entities that have none. */
export interface GeneratingFormat<Value> extends KeyFormat<Value> {
  /** Makes a value that no other entity has. */
  generate(): Value;
}

/** A format for a property of any type, used only for its text. */
// oxlint-disable-next-line typescript/no-explicit-any -- the value type is checked where the model is declared
export type AnyKeyFormat = KeyFormat<any>;
