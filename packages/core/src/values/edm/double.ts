import { cursor, failed } from "./cursor.ts";
import { putNumber } from "./int32.ts";
import { readBy } from "./value-code.ts";
import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import type { EdmForms } from "./edm-forms.ts";
import { SnapshotForm } from "./snapshot-form.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

const numeral = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** The stored forms of Double. */
export const doubleType: EdmForms = {
  edm: "Edm.Double",
  annotation: "sometimes",
  isAnnotated: (stored) => typeof stored === "string" || Number.isInteger(stored) || hasExponent(stored),
  parse(value) {
    const number = typeof value === "string" || typeof value === "number" ? parseDouble(value) : undefined;
    return number === undefined ? undefined : storedDouble(number);
  },
  sizeOf: () => 8,
  // NaN has no order.
  compare(a, b) {
    const [left, right] = [parseDouble(a) ?? Number.NaN, parseDouble(b) ?? Number.NaN];
    return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
  },
  isOrdered: true,
  comparesWith: ["Edm.Int32", "Edm.Int64"],
  widens: { edm: "Edm.Int32", isEqual: true },
  // Not every store preserves the sign of zero. JSON has no special numbers.
  canonical: (stored) => String((parseDouble(stored) ?? Number.NaN) + 0),
  example: 0,
  print: printDouble,
  plainForm: 'a number, or "NaN", "Infinity" or "-Infinity"',
  plainSchema: { anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity", "-Infinity", "-0.0"] }] },
  isNumber: true,
};

/**
 * Double: every number, including NaN, the infinities and -0. An integral Double is sent with an annotation, since it
 * would otherwise come back as Int32. JSON has no NaN, infinities or -0, so these are sent as text. It also reads
 * Int32: clients with a single number type store whole numbers as Int32.
 */
export const doubleSerializer: Serializer<number> = {
  ...doubleType,
  name: "Double",
  sample: 0,
  ...snapshotAsValue,
  code: {
    names: { readDouble, putNumber },
    isQuoted: false,
    // A whole number is a Double only by its annotation, and a small one prints with an exponent.
    fromValue: { test: `typeof v === "number" && v - v === 0 && !Number.isInteger(v)`, value: "v" },
    fromBytes: (id) => readBy(id, "0.5", "readDouble(b, p, isAnnotated)"),
    toSnapshotValue: {
      test: `typeof v === "number" && v - v === 0 && !Number.isInteger(v) && (v >= 1e-6 || v <= -1e-6)`,
      snapshotValue: "v",
      bytes: () => "8",
    },
    toBytes: {
      test: `typeof v === "number" && v - v === 0 && (v !== 0 || 1 / v > 0)`,
      put: "putNumber(o, v)",
      isTyped: "Number.isInteger(v) || (v < 1e-6 && v > -1e-6)",
    },
  },
  keeping: "number",
  encode(value, path) {
    if (typeof value !== "number") throw SerializationError.wrongType(path, "a number", value);
    return storedDouble(value);
  },
  decode(stored, annotation, path) {
    if (typeof stored === "number" && (annotation === "Edm.Double" || isPlainNumber(stored, annotation)))
      return finite(stored, path);
    if (annotation !== "Edm.Double") throw mismatch(doubleSerializer, stored, annotation, path);
    const value = parseDouble(stored);
    if (value === undefined) throw SerializationError.malformed(path, "a number, NaN, Infinity or -Infinity");
    return value;
  },
  // An Int32 stays one until it is edited.
  keep: (stored, value, annotation) =>
    annotation !== "Edm.Double" && Number.isInteger(stored)
      ? new SnapshotForm(stored, annotation, value)
      : value,
  isUnchanged: (snapshotValue, value) => Object.is(snapshotValue, value),
  restore: (snapshotValue, path) => doubleSerializer.encode(snapshotValue as number, path),
};

/** A number without an annotation: a fraction is a Double, a whole number an Int32. */
const isPlainNumber = (stored: number, annotation: StoredValue | undefined): boolean =>
  annotation === undefined || (annotation === "Edm.Int32" && Number.isInteger(stored));

/** The stored form of a number: JSON has no NaN, infinities or -0, so these are text. */
function storedDouble(value: number): number | string {
  if (!Number.isFinite(value)) return String(value);
  return Object.is(value, -0) ? "-0.0" : value;
}

/** Prints a Double always with a point or an exponent, and zero with its sign. */
function printDouble(value: StoredValue): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** JSON reads 1e999 as Infinity, which JSON cannot write, so the value was never stored like this. */
function finite(stored: number, path: PropertyPath): number {
  if (Number.isFinite(stored)) return stored;
  throw SerializationError.malformed(path, "a number in the range of Double");
}

/**
 * The number of a stored Double, which is a number or text; undefined for other text. NaN and infinities are text: an
 * infinite number is a misread 1e999.
 */
export function parseDouble(stored: StoredValue): number | undefined {
  if (typeof stored === "number") return Number.isFinite(stored) ? stored : undefined;
  if (typeof stored !== "string") return undefined;
  if (stored === "NaN") return Number.NaN;
  if (stored === "Infinity" || stored === "INF") return Number.POSITIVE_INFINITY;
  if (stored === "-Infinity" || stored === "-INF") return Number.NEGATIVE_INFINITY;
  const value = numeral.test(stored) ? Number(stored) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Numbers this small print with an exponent, so they cannot be distinguished from integers by a point. */
const hasExponent = (stored: StoredValue): boolean => typeof stored === "number" && Math.abs(stored) < 1e-6;

/** Powers of ten that divide exactly. */
export const powers: Float64Array = Float64Array.from({ length: 23 }, (_, i) => 10 ** i);

/** A Double holds a whole number with this many digits exactly. */
const exactDigits = 15;

/**
 * A number with a point, which is a Double; without a point it would be an Int32. Up to 15 digits, one division is
 * exact.
 *
 * @param isAnnotated - whether its annotation says that it is a Double; then it needs no point
 */
function readDouble(bytes: Buffer, from: number, isAnnotated: boolean): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let value = 0;
  let digit = (bytes[at] as number) - zero;
  for (; digit >= 0 && digit <= 9; digit = (bytes[at] as number) - zero) {
    value = value * 10 + digit;
    at++;
  }
  const whole = at - first;
  cursor.at = failed;
  if (whole === 0 || (whole > 1 && bytes[first] === zero)) return 0;
  let places = 0;
  if (bytes[at] === point) {
    at++;
    for (
      digit = (bytes[at] as number) - zero;
      digit >= 0 && digit <= 9;
      digit = (bytes[at] as number) - zero
    ) {
      value = value * 10 + digit;
      at++;
      places++;
    }
    if (places === 0) return 0;
  } else if (!isAnnotated) return 0;
  const end = bytes[at];
  // An exponent or something else.
  if (end !== comma && end !== brace) return 0;
  if (isNegative && value === 0) return 0;
  if (whole + places > exactDigits) {
    const number = Number(bytes.toString("latin1", from, at));
    // Hundreds of digits may exceed a Double, and a fraction beyond its precision leaves a whole number.
    if (Number.isFinite(number) && (isAnnotated || !Number.isInteger(number))) cursor.at = at;
    return number;
  }
  cursor.at = at;
  const size = places === 0 ? value : value / (powers[places] as number);
  return isNegative ? -size : size;
}

const [comma, minus, point, zero, brace] = [0x2c, 0x2d, 0x2e, 0x30, 0x7d];
