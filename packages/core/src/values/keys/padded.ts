import { checkFormatOptions, formatError } from "./check-format.ts";
import type { FormatRange, KeyFormat, RangeOperator } from "./key-format.ts";
import { everything, exactly } from "./text-range.ts";

/** How negative numbers are stored: shifted up by an offset, since text does not order minus signs correctly. */
export interface PaddedOptions<Value extends number | bigint> {
  /**
   * Shifts values up by half of the range of the digits: `padded(4, { signed: true })` takes -5000 to 4999.
   *
   * ```ts
   * console.log(padded(4, { signed: true }).encode(-1)); // → 4999
   * ```
   */
  readonly signed?: boolean;
  /**
   * Shifts values up by this number instead, for example to match an existing table.
   *
   * ```ts
   * console.log(padded(4, { offset: 100 }).encode(-1)); // → 0099
   * ```
   */
  readonly offset?: Value;
}

/**
 * An integer with leading zeros: text order is number order.
 *
 * ```ts
 * const rowKey = { year: padded(4), no: padded(6) };
 * console.log(padded(6).encode(42)); // → 000042
 * ```
 *
 * @param digits - 1 to 15; values fit from 0 to below 10^digits, minus the offset
 * @throws ModelError `model.option`
 */
export function padded(digits: number, options: PaddedOptions<number> = {}): KeyFormat<number> {
  if (!Number.isInteger(digits) || digits < 1 || digits > 15)
    throw formatError(
      "padded(digits)",
      "takes 1 to 15 digits, such as padded(10). For more, use padded64 and bigint values.",
    );
  checkFormatOptions("padded(digits, options)", options, optionNames);
  const { signed = false, offset = signed ? 10 ** digits / 2 : 0 } = options;
  if (!Number.isSafeInteger(offset)) throw formatError("padded(digits, { offset })", "takes a whole number.");
  const [min, max] = [-offset, 10 ** digits - 1 - offset];
  const print = (value: bigint): string => String(value + BigInt(offset)).padStart(digits, "0");
  return {
    format: `padded(${digits}${describe(options)})`,
    accepts: `an integer from ${min + 0} to ${max}`,
    width: digits,
    pattern: "counter",
    encode: (value) =>
      Number.isInteger(value) && value >= min && value <= max
        ? String(value + offset).padStart(digits, "0")
        : undefined,
    decode: (text) => (isDigits(text, digits) ? Number(text) - offset : undefined),
    accepting: isNumber,
    edm: isInt32(min) && isInt32(max) ? "Edm.Int32" : "Edm.Int64",
    plainSchema: { type: "integer", minimum: min + 0, maximum: max },
    range: (operator, operand) => integerRange(operator, operand, min, max, print),
  };
}

/**
 * A bigint with leading zeros.
 *
 * ```ts
 * const rowKey = { sequence: padded64(19) };
 * console.log(padded64(19).encode(42n)); // → 0000000000000000042
 * ```
 *
 * @param digits - 1 to 20; values fit from 0 to below 10^digits, minus the offset. 19 digits hold every non-negative
 *   Int64, `padded64(20, { offset: 2n ** 63n })` every Int64
 * @throws ModelError `model.option`
 */
export function padded64(digits: number, options: PaddedOptions<bigint> = {}): KeyFormat<bigint> {
  if (!Number.isInteger(digits) || digits < 1 || digits > 20)
    throw formatError("padded64(digits)", "takes 1 to 20 digits, such as padded64(19).");
  checkFormatOptions("padded64(digits, options)", options, optionNames);
  const { signed = false, offset = signed ? 10n ** BigInt(digits) / 2n : 0n } = options;
  if (typeof offset !== "bigint")
    throw formatError("padded64(digits, { offset })", "takes a bigint, such as 10n.");
  const [min, max] = [-offset, 10n ** BigInt(digits) - 1n - offset];
  const print = (value: bigint): string => String(value + offset).padStart(digits, "0");
  return {
    format: `padded64(${digits}${describe(options)})`,
    accepts: `a bigint from ${min} to ${max}`,
    width: digits,
    pattern: "counter",
    encode: (value) => (typeof value === "bigint" && value >= min && value <= max ? print(value) : undefined),
    decode: (text) => (isDigits(text, digits) ? BigInt(text) - offset : undefined),
    accepting: isNumber,
    edm: "Edm.Int64",
    plainSchema: { type: "string", pattern: `^-?[0-9]{1,${digits}}$` },
    range: (operator, operand) => integerRange(operator, operand, min, max, print),
  };
}

const optionNames = ["signed", "offset"];

const describe = ({ signed, offset }: PaddedOptions<number | bigint>): string =>
  offset !== undefined ? `, { offset: ${offset} }` : signed === true ? ", { signed: true }" : "";

/** The range of a fixed-width integer text; operands outside the domain, including fractions, are clipped to it. */
function integerRange(
  operator: RangeOperator,
  operand: unknown,
  min: number | bigint,
  max: number | bigint,
  print: (value: bigint) => string,
): FormatRange {
  if (operator === "startsWith") return undefined;
  if (!isNumber(operand)) return "nothing";
  const isComplete = typeof operand === "bigint" || Number.isInteger(operand);
  if (operator === "eq")
    return isComplete && operand >= min && operand <= max ? exactly(print(BigInt(operand))) : "nothing";

  const isLower = operator === "ge" || operator === "gt";
  if (isLower ? operand < min : operand > max) return everything;
  if (isLower ? operand > max : operand < min) return "nothing";
  if (isComplete) {
    const bound = { text: print(BigInt(operand)), inclusive: operator === "ge" || operator === "le" };
    return isLower ? { lower: bound } : { upper: bound };
  }
  // A fraction lies between two integers: the one inside the range is included.
  const inside = isLower ? Math.ceil(operand as number) : Math.floor(operand as number);
  if (inside > max) return "nothing";
  const bound = { text: print(BigInt(inside)), inclusive: true };
  return isLower ? { lower: bound } : { upper: bound };
}

const isInt32 = (value: number): boolean => (value | 0) === value;

const isDigits = (text: string, digits: number): boolean => text.length === digits && /^\d+$/.test(text);

const isNumber = (operand: unknown): operand is number | bigint =>
  typeof operand === "bigint" || (typeof operand === "number" && !Number.isNaN(operand));
