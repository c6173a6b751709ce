import { formatError, isKeyFormat } from "./check-format.ts";
import { type DerivedFormat, isDerived } from "./derived-format.ts";
import type { FormatRange, KeyFormat, RangeOperator } from "./key-format.ts";
import { orderedTexts } from "./source-texts.ts";
import { verbatim } from "./verbatim.ts";

/**
 * The first characters of a text, such as the first two of an id: `partitionKey: { userId: leading(2) }, rowKey: { userId: text() }`
 * spreads users over partitions. A shorter text is the part itself. Declare the text itself too, as the part holds less.
 *
 * ```ts
 * console.log(leading(2).encode("anna")); // → an
 * ```
 *
 * @param count - 1 to 512 characters
 * @param format - how they are written: `verbatim` (default), or `escaped` for any text
 * @throws ModelError `model.option`
 */
export function leading(count: number, format: KeyFormat<string> = verbatim): DerivedFormat<string> {
  if (!Number.isInteger(count) || count < 1 || count > 512)
    throw formatError("leading(count)", "takes a whole number of characters, from 1 to 512.");
  if (!isKeyFormat(format) || isDerived(format) || format.literal !== undefined)
    throw formatError(`leading(${count}, format)`, "takes a format of text: verbatim or escaped.");
  // By characters, not by UTF-16 units: half of a character is no text.
  const cut = (text: string): string =>
    Array.from(text.slice(0, 2 * count))
      .slice(0, count)
      .join("");
  const encode = (value: unknown): string | undefined =>
    typeof value === "string" ? format.encode(cut(value)) : undefined;
  return {
    format: format === verbatim ? `leading(${count})` : `leading(${count}, ${format.format})`,
    accepts: "a string",
    width: undefined,
    ...(format.separator !== undefined && { separator: format.separator }),
    isDerived: true,
    encode,
    decode(text) {
      const value = format.decode(text);
      return value === undefined || cut(value) !== value ? undefined : value;
    },
    accepting: (operand) => typeof operand === "string",
    textsOf: (value) => [encode(value)].filter((text) => text !== undefined),
    texts: (conditions) => orderedTexts(conditions, encode, () => undefined),
    range: (operator, operand) =>
      typeof operand === "string"
        ? rangeOf(operator, cut(operand), cut(`${operand}.`) === cut(operand), format)
        : "nothing",
  };
}

/** The range of the cut texts of all texts that match; `isFull`: whether the operand is cut, or as long as cut texts are. */
function rangeOf(
  operator: RangeOperator,
  text: string,
  isFull: boolean,
  format: KeyFormat<string>,
): FormatRange {
  switch (operator) {
    case "eq":
      return format.range("eq", text);
    case "startsWith":
      return format.range(isFull ? "eq" : "startsWith", text);
    case "gt":
    case "ge":
      return format.range("ge", text);
    case "lt":
    case "le":
      return format.range("le", text);
    default:
      return operator satisfies never;
  }
}
