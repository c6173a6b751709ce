import { formatError, isKeyFormat } from "./check-format.ts";
import { isDerived } from "./derived-format.ts";
import type { AnyKeyFormat, KeyFormat, KeyPattern, RangeOperator } from "./key-format.ts";
import type { TextBound } from "./text-range.ts";

/**
 * The complement of a format of fixed width, character by character: its greatest value sorts first.
 *
 * ```ts
 * const rowKey = { score: descending(padded(5)) };
 * console.log(descending(padded(5)).encode(42)); // → 99957
 * ```
 *
 * @param inner - a format of fixed width, such as `padded(10)`, `guid` or `ulid`
 * @throws ModelError `model.option`
 */
export function descending<Value>(inner: KeyFormat<Value>): KeyFormat<Value> {
  if (!isKeyFormat(inner)) throw formatError("descending(format)", `takes a key format ${suchAs}`);
  const { width, alphabet = "0123456789" } = inner;
  if (width === undefined || inner.literal !== undefined || isDerived(inner))
    throw formatError(`descending(${inner.format})`, `is not possible: it takes a format ${suchAs}`);
  const complement = complementIn(alphabet);
  const isMirrored = (bound: TextBound | undefined): boolean =>
    bound === undefined || inner.decode(bound.text) !== undefined || isWholeDecimal(inner, bound.text);
  const mirrored = (bound: TextBound): TextBound => ({ ...bound, text: complement(bound.text) });
  return {
    format: `descending(${inner.format})`,
    accepts: inner.accepts,
    ...(inner.prefix !== undefined && { prefix: complement(inner.prefix) }),
    width,
    ...(inner.alphabet !== undefined && { alphabet }),
    ...(inner.edm !== undefined && { edm: inner.edm }),
    ...(inner.plainSchema !== undefined && { plainSchema: inner.plainSchema }),
    ...(inner.pattern !== undefined && { pattern: mirrorOf[inner.pattern] }),
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
      // Prefixes and foreign characters do not reverse with complete texts.
      if (!isMirrored(lower) || !isMirrored(upper)) return undefined;
      return { ...(upper && { lower: mirrored(upper) }), ...(lower && { upper: mirrored(lower) }) };
    },
  };
}

const mirrorOf: Readonly<Record<KeyPattern, KeyPattern>> = {
  "append-only": "prepend-only",
  "prepend-only": "append-only",
  counter: "counter",
};

const suchAs =
  "of fixed width, such as padded(10), guid or ulid. For dates, newestFirst is the descending format.";

/** Whether a text has all its digits, such as the last tick of a millisecond, which is a bound but not a value. */
function isWholeDecimal({ alphabet, width, prefix = "" }: AnyKeyFormat, text: string): boolean {
  if (alphabet !== undefined || text.length !== width || !text.startsWith(prefix)) return false;
  return /^\d*$/.test(text.slice(prefix.length));
}

/** Maps each character to its mirror position in the alphabet; other characters stay. */
function complementIn(alphabet: string): (text: string) => string {
  const characters = Array.from(alphabet);
  const opposite = new Map(characters.map((character, i) => [character, characters.at(-1 - i)]));
  return (text) => {
    let complement = "";
    for (const character of text) complement += opposite.get(character) ?? character;
    return complement;
  };
}
