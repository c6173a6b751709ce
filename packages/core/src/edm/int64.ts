import { SerializationError } from "../errors/serialization-error.ts";
import { inOrder, textIn } from "./edm-forms.ts";
import { KeptAs } from "./kept-as.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/** The range of Int64. */
export const minInt64: bigint = -(2n ** 63n);
export const maxInt64: bigint = 2n ** 63n - 1n;
const decimal = /^[+-]?\d{1,40}$/;

/** The Int64 of decimal text, with or without a sign and zeros before it; undefined for anything else. */
export function parseInt64(text: string): bigint | undefined {
  const short = shortInt64(text);
  if (short !== undefined || !decimal.test(text)) return short;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** Whether an integer is an Int64. */
export const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** Whether a text is a decimal Int64. */
export const isInt64Text = (text: string): boolean => parseInt64(text) !== undefined;

/** The Int64 of decimal text of at most 18 digits, the usual case; undefined for anything else. */
export function shortInt64(text: string): bigint | undefined {
  const first = text.charCodeAt(0) === 45 ? 1 : 0;
  const count = text.length - first;
  if (count < 1 || count > 18) return undefined;
  for (let i = first; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return undefined;
  }
  return BigInt(text);
}

/**
 * Int64: a bigint from -2^63 to 2^63 - 1; always text on the wire, since JSON numbers lose digits. It reads Int32, too: clients
 * that have one type of number store a small one so.
 */
export const int64Serializer: Serializer<bigint> = {
  name: "Int64",
  edm: "Edm.Int64",
  annotation: "always",
  isAnnotated: () => true,
  parse: (value) => parseInt64(Number.isSafeInteger(value) ? String(value) : textIn(value))?.toString(),
  sizeOf: () => 8,
  compare: (a, b) => inOrder(BigInt(a), BigInt(b)),
  isOrdered: true,
  comparesWith: ["Edm.Int32"],
  widens: { edm: "Edm.Int32", isEqual: false },
  canonical: (stored) => stored,
  example: "0",
  print: (stored) => `${stored}L`,
  plainForm: 'a whole number as text, such as "42"',
  isNumber: true,
  isUsualId: true,
  sample: 0n,
  ...keptAsValue,
  encode(value, path) {
    if (typeof value !== "bigint") throw SerializationError.wrongType(path, "a bigint", value);
    if (value < minInt64 || value > maxInt64)
      throw SerializationError.outOfRange(path, `integers from ${minInt64} to ${maxInt64}`);
    return value.toString();
  },
  decode(stored, annotation, path) {
    if (isInt32(stored, annotation)) return BigInt(stored);
    if (annotation !== "Edm.Int64") throw mismatch(int64Serializer, stored, annotation, path);
    const value = typeof stored === "string" ? parseInt64(stored) : undefined;
    if (value === undefined) throw SerializationError.malformed(path, "a decimal Int64");
    return value;
  },
  // An Int32 stays one until it is edited.
  keep: (stored, value, annotation) =>
    isInt32(stored, annotation) ? new KeptAs(stored, annotation, value) : value,
  restore: (kept) => String(kept),
};

const isInt32 = (stored: StoredValue, annotation: StoredValue | undefined): stored is number =>
  typeof stored === "number" &&
  (stored | 0) === stored &&
  (annotation === undefined || annotation === "Edm.Int32");
