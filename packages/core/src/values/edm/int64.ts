import type { ByteWriter } from "./byte-writer.ts";
import { cursor, failed } from "./cursor.ts";
import { readBy } from "./value-code.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { type EdmForms, inOrder, textIn } from "./edm-forms.ts";
import { powers } from "./double.ts";
import { SnapshotForm } from "./snapshot-form.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const decimal = /^[+-]?\d{1,40}$/;

/** The Int64 of decimal text, with or without a sign and leading zeros; undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!decimal.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** Whether an integer is an Int64. */
export const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** Whether a text is a decimal Int64. */
export const isInt64Text = (text: string): boolean => parseInt64(text) !== undefined;

/** The stored forms of Int64. */
export const int64Type: EdmForms = {
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
  plainSchema: { type: "string", pattern: "^-?[0-9]{1,19}$" },
  isNumber: true,
  isUsualId: true,
};

/**
 * Int64: a bigint from -2^63 to 2^63 - 1. It is always text on the wire, since JSON numbers lose digits. It also reads
 * Int32: clients with a single number type store small numbers as Int32.
 */
export const int64Serializer: Serializer<bigint> = {
  ...int64Type,
  name: "Int64",
  keyAdvice: "Write padded64(19), or padded64(19, { signed: true }) if it may be negative.",
  sample: 0n,
  ...snapshotAsValue,
  code: {
    names: { parseInt64, readInt64, putInt64 },
    isQuoted: true,
    fromValue: { test: `typeof v === "string" && (t = parseInt64(v)) !== undefined`, value: "t" },
    fromBytes: (id) => readBy(id, "undefined", "readInt64(b, p)"),
    toSnapshotValue: {
      test: `typeof v === "bigint" && v >= ${minInt64}n && v <= ${maxInt64}n`,
      snapshotValue: "v",
      bytes: () => "8",
    },
    toBytes: { test: `typeof v === "bigint"`, put: "putInt64(o, v)" },
  },
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
    isInt32(stored, annotation) ? new SnapshotForm(stored, annotation, value) : value,
  restore: (snapshotValue) => String(snapshotValue),
};

const isInt32 = (stored: StoredValue, annotation: StoredValue | undefined): stored is number =>
  typeof stored === "number" &&
  (stored | 0) === stored &&
  (annotation === undefined || annotation === "Edm.Int32");

const words = new BigInt64Array(1);
const halves = new Uint32Array(words.buffer);

/** Digits that are summed as one number. */
const partDigits = 9;

/** An Int64 of up to 18 digits, in quotes. */
function readInt64(bytes: Uint8Array, from: number): bigint {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let [at, high, low] = [first, 0, 0];
  let digit = (bytes[at] as number) - zero;
  for (; digit >= 0 && digit <= 9; digit = (bytes[at] as number) - zero) {
    if (at - first < partDigits) high = high * 10 + digit;
    else low = low * 10 + digit;
    at++;
  }
  const count = at - first;
  if (count < 1 || count > 2 * partDigits || bytes[at] !== quote) {
    cursor.at = failed;
    return 0n;
  }
  cursor.at = at + 1;
  return int64Of(high, low, Math.max(0, count - partDigits), isNegative);
}

/** `high * 10 ** places + low` as one bigint, in two halves of 32 bits. */
function int64Of(high: number, low: number, places: number, isNegative: boolean): bigint {
  const power = powers[places] as number;
  const lower = (high & 0xffff) * power + low;
  const upper = Math.floor(high / 0x10000) * power + Math.floor(lower / 0x10000);
  let lowHalf = ((upper % 0x10000) * 0x10000 + (lower % 0x10000)) >>> 0;
  let highHalf = Math.floor(upper / 0x10000) >>> 0;
  if (isNegative) {
    lowHalf = (~lowHalf + 1) >>> 0;
    highHalf = (~highHalf + (lowHalf === 0 ? 1 : 0)) >>> 0;
  }
  halves[0] = lowHalf;
  halves[1] = highHalf;
  return words[0] as bigint;
}

function putInt64(into: ByteWriter, value: bigint): void {
  into.ascii(value.toString());
  into.byte(quote);
}

const [quote, minus, zero] = [0x22, 0x2d, 0x30];
