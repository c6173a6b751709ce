import { formatError, isKeyFormat } from "./check-format.ts";
import { isDerived } from "./derived-format.ts";
import type { AnyKeyFormat, KeyFormat } from "./key-format.ts";
import type { TextBound } from "./text-range.ts";
import { textRange } from "./verbatim.ts";

/** A key part that is always the same text, so it needs no value. */
export interface ConstantFormat<Text extends string> extends KeyFormat<Text> {
  readonly literal: Text;
}

/** A key part with a literal prefix. */
export interface PrefixedFormat<Value> extends KeyFormat<Value> {
  readonly prefix: string;
}

/** A property type of text, such as `text()`, with its key format. */
interface TextType {
  readonly keyFormat?: KeyFormat<string>;
  readonly serializer: { decode(...args: never[]): string };
}

/**
 * A key part that is always this text: `constant("Full")`.
 *
 * ```ts
 * const rowKey = { type: constant("Full"), bib: constant("BIB:", padded(5)) };
 * console.log(constant("BIB:", padded(5)).encode(7)); // → BIB:00007
 * ```
 *
 * @throws ModelError `model.option`
 */
export function constant<const Text extends string>(text: Text): ConstantFormat<Text>;
/**
 * A literal prefix directly followed by another format: `constant("BIB:", padded(5))`, `constant("CLUB:", text())`.
 *
 * @throws ModelError `model.option`
 */
export function constant<Value>(text: string, format: KeyFormat<Value>): PrefixedFormat<Value>;
export function constant(text: string, type: TextType): PrefixedFormat<string>;
export function constant(text: string, part?: AnyKeyFormat | TextType): AnyKeyFormat {
  if (typeof text !== "string")
    throw formatError("constant(text)", 'takes a text, such as constant("Full").');
  if (part === undefined) return literalPart(text, [text]);
  const format: AnyKeyFormat | undefined = isKeyFormat(part) ? part : (part as TextType | null)?.keyFormat;
  if (format === undefined)
    throw formatError(
      "constant(text, format)",
      'takes a key format, such as padded(5), or text(): constant("CLUB:", text()).',
    );
  return prefixed(text, format);
}

/** A RowKey part that holds the name of a kind, or one of its former names. */
export const kindPart = (name: string, formerly: readonly string[] = []): KeyFormat<unknown> =>
  literalPart(name, [name, ...formerly]);

/** Written as `text`, read as any of `texts`. */
function literalPart(text: string, texts: readonly string[]): KeyFormat<unknown> {
  return {
    format: `constant(${JSON.stringify(text)})`,
    accepts: JSON.stringify(text),
    width: texts.every(({ length }) => length === text.length) ? text.length : undefined,
    literal: text,
    literals: texts,
    plainSchema: { const: text },
    encode: (value) => (value === undefined || value === text ? text : undefined),
    decode: (found) => (texts.includes(found) ? text : undefined),
    accepting: (operand) => typeof operand === "string",
    range: (operator, operand) => (typeof operand === "string" ? textRange(operator, operand) : "nothing"),
  };
}

function prefixed(prefix: string, inner: KeyFormat<unknown>): KeyFormat<unknown> {
  if (isDerived(inner))
    throw formatError(
      `constant(text, ${inner.format})`,
      "is not possible: put constant(text) before it as a separate part.",
    );
  const withPrefix = (bound: TextBound): TextBound => ({ ...bound, text: prefix + bound.text });
  return {
    format: `constant(${JSON.stringify(prefix)}, ${inner.format})`,
    accepts: inner.accepts,
    width: inner.width === undefined ? undefined : inner.width + prefix.length,
    prefix: prefix + (inner.prefix ?? ""),
    ...(inner.alphabet !== undefined && { alphabet: inner.alphabet }),
    ...(inner.pattern !== undefined && { pattern: inner.pattern }),
    ...(inner.separator !== undefined && { separator: inner.separator }),
    ...(inner.edm !== undefined && { edm: inner.edm }),
    ...(inner.plainSchema !== undefined && { plainSchema: inner.plainSchema }),
    accepting: (operand) => inner.accepting(operand),
    encode(value) {
      const text = inner.encode(value);
      return text === undefined ? undefined : prefix + text;
    },
    decode: (text) => (text.startsWith(prefix) ? inner.decode(text.slice(prefix.length)) : undefined),
    range(operator, operand) {
      const range = inner.range(operator, operand);
      if (range === undefined || range === "nothing") return range;
      // An open end stays open: the planner closes it with `prefix`.
      const { lower, upper } = range;
      return { ...(lower && { lower: withPrefix(lower) }), ...(upper && { upper: withPrefix(upper) }) };
    },
  };
}
