import type { FormatRange, KeyFormat, RangeOperator } from "./key-format.ts";
import { everything, exactly } from "./text-range.ts";

/**
 * A non-negative integer with leading zeros, so that text order is number order.
 *
 * @param digits - 1 to 15; every value below 10^digits fits
 */
export function padded(digits: number): KeyFormat<number> {
  if (!Number.isInteger(digits) || digits < 1 || digits > 15)
    throw new RangeError(`padded(digits) takes 1 to 15 digits; use padded64 for more.`);
  const max = 10 ** digits - 1;
  const print = (value: number | bigint): string => String(value).padStart(digits, "0");
  return {
    format: `padded(${digits})`,
    accepts: `an integer from 0 to ${max}`,
    width: digits,
    encode: (value) => (Number.isInteger(value) && value >= 0 && value <= max ? print(value + 0) : undefined),
    decode: (text) => (isDigits(text, digits) ? Number(text) : undefined),
    accepting: isNumber,
    range(operator, operand) {
      if (typeof operand !== "number" && typeof operand !== "bigint") return "nothing";
      return integerRange(operator, operand, 0, max, print);
    },
  };
}

/**
 * A non-negative bigint with leading zeros.
 *
 * @param digits - 1 to 19; 19 digits hold every non-negative Int64
 */
export function padded64(digits: number): KeyFormat<bigint> {
  if (!Number.isInteger(digits) || digits < 1 || digits > 19)
    throw new RangeError(`padded64(digits) takes 1 to 19 digits.`);
  const max = 10n ** BigInt(digits) - 1n;
  const print = (value: number | bigint): string => String(value).padStart(digits, "0");
  return {
    format: `padded64(${digits})`,
    accepts: `a bigint from 0 to ${max}`,
    width: digits,
    encode: (value) => (typeof value === "bigint" && value >= 0n && value <= max ? print(value) : undefined),
    decode: (text) => (isDigits(text, digits) ? BigInt(text) : undefined),
    accepting: isNumber,
    range(operator, operand) {
      if (typeof operand !== "number" && typeof operand !== "bigint") return "nothing";
      return integerRange(operator, operand, 0n, max, print);
    },
  };
}

/** The range of a fixed-width integer text; operands outside the domain, fractions included, are clipped to it. */
function integerRange(
  operator: RangeOperator,
  operand: number | bigint,
  min: number | bigint,
  max: number | bigint,
  print: (value: number | bigint) => string,
): FormatRange {
  if (operator === "startsWith") return undefined;
  if (Number.isNaN(operand)) return "nothing";
  const isWhole = typeof operand === "bigint" || Number.isInteger(operand);
  if (operator === "eq")
    return isWhole && operand >= min && operand <= max ? exactly(printWhole(operand, print)) : "nothing";

  const isLower = operator === "ge" || operator === "gt";
  if (isLower ? operand < min : operand > max) return everything;
  if (isLower ? operand > max : operand < min) return "nothing";
  if (isWhole) {
    const bound = { text: printWhole(operand, print), inclusive: operator === "ge" || operator === "le" };
    return isLower ? { lower: bound } : { upper: bound };
  }
  // A fraction lies between two integers: the one inside the range is included.
  const inside = isLower ? Math.ceil(operand as number) : Math.floor(operand as number);
  if (inside > max) return "nothing";
  const bound = { text: printWhole(inside, print), inclusive: true };
  return isLower ? { lower: bound } : { upper: bound };
}

/** Prints a whole number without exponent or sign of zero. */
const printWhole = (value: number | bigint, print: (value: number | bigint) => string): string =>
  print(typeof value === "number" ? BigInt(value) : value);

const isDigits = (text: string, digits: number): boolean => text.length === digits && /^\d+$/.test(text);

const isNumber = (operand: unknown): boolean =>
  typeof operand === "bigint" || (typeof operand === "number" && !Number.isNaN(operand));
