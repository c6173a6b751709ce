import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import { KeptAs } from "./kept-as.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

const numeral = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Double: every number, NaN, infinities and -0 included. An integral Double travels annotated, so that it never
 * comes back as Int32; specials and -0, which JSON cannot say, travel as text. It reads Int32, too: clients that have one type
 * of number store a whole one so.
 */
export const doubleSerializer: Serializer<number> = {
  name: "Double",
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
  // Not every store keeps the sign of zero. JSON has no special numbers.
  canonical: (stored) => String((parseDouble(stored) ?? Number.NaN) + 0),
  example: 0,
  print: printDouble,
  plainForm: 'a number, or "NaN", "Infinity" or "-Infinity"',
  isNumber: true,
  sample: 0,
  ...keptAsValue,
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
    annotation !== "Edm.Double" && Number.isInteger(stored) ? new KeptAs(stored, annotation, value) : value,
  isUnchanged: (kept, value) => Object.is(kept, value),
  restore: (kept, path) => doubleSerializer.encode(kept as number, path),
};

/** A number without a type: a fraction is a Double, and a whole one an Int32. */
const isPlainNumber = (stored: number, annotation: StoredValue | undefined): boolean =>
  annotation === undefined || (annotation === "Edm.Int32" && Number.isInteger(stored));

/** A number as it is stored: specials and -0, which JSON cannot say, are text. */
export function storedDouble(value: number): number | string {
  if (!Number.isFinite(value)) return String(value);
  return Object.is(value, -0) ? "-0.0" : value;
}

/** Never without a point or an exponent, and zero with its sign. */
function printDouble(value: StoredValue): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** JSON reads 1e999 as Infinity, which it has no form for: nobody has written that. */
function finite(stored: number, path: PropertyPath): number {
  if (Number.isFinite(stored)) return stored;
  throw SerializationError.malformed(path, "a number within Double");
}

/**
 * The number a stored Double says, as a number or as text; undefined when it says none. NaN and infinities are text:
 * as numbers they are what JSON makes of 1e999.
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

/** Numbers this small print with an exponent, so that no point distinguishes them from integers. */
const hasExponent = (stored: StoredValue): boolean => typeof stored === "number" && Math.abs(stored) < 1e-6;
