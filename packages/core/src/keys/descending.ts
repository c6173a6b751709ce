import type { KeyFormat, RangeOperator } from "./key-format.ts";
import type { TextBound } from "./text-range.ts";

/**
 * The complement of a fixed-width decimal format: its greatest value sorts first.
 *
 * @param inner - a format of fixed width whose text is digits, such as `padded(10)`
 */
export function descending<Value>(inner: KeyFormat<Value>): KeyFormat<Value> {
  const { width } = inner;
  if (width === undefined || inner.literal !== undefined)
    throw new RangeError(
      `descending(${inner.format}) is not possible: it takes a format of fixed width, such as padded(10).`,
    );
  return {
    format: `descending(${inner.format})`,
    accepts: inner.accepts,
    ...(inner.prefix !== undefined && { prefix: complement(inner.prefix) }),
    width,
    encode(value) {
      const text = inner.encode(value);
      return text === undefined ? undefined : complement(text);
    },
    decode: (text) => inner.decode(complement(text)),
    accepting: (operand) => inner.accepting(operand),
    range(operator: RangeOperator, operand: unknown) {
      const range = inner.range(operator, operand);
      if (range === undefined || range === "nothing") return range;
      const { lower, upper } = range;
      return { ...(upper && { lower: mirrored(upper) }), ...(lower && { upper: mirrored(lower) }) };
    },
  };
}

const mirrored = (bound: TextBound): TextBound => ({ ...bound, text: complement(bound.text) });

/** Nine's complement, digit by digit. */
const complement = (text: string): string => text.replace(/\d/g, (digit) => String(9 - Number(digit)));
