import type { ByteWriter } from "./byte-writer.ts";
import { cursor, failed } from "./cursor.ts";
import { readBy } from "./value-code.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { type EdmForms, inOrder } from "./edm-forms.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

const decimal = /^[+-]?\d{1,40}$/;

/** The Int32 of decimal text, with or without a sign and leading zeros; undefined for any other text. */
function parseInt32(text: string): number | undefined {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return isInt32(value) ? value + 0 : undefined;
}

/** Whether a number is an Int32. */
export const isInt32 = (value: number): boolean => (value | 0) === value;

/** The stored forms of Int32. */
export const int32Type: EdmForms = {
  edm: "Edm.Int32",
  annotation: "never",
  isAnnotated: () => false,
  parse(value) {
    if (typeof value === "string") return parseInt32(value);
    // JSON may have -0, which Int32 does not.
    return typeof value === "number" && isInt32(value) ? value + 0 : undefined;
  },
  sizeOf: () => 4,
  compare: (a, b) => inOrder(a, b),
  isOrdered: true,
  canonical: (stored) => stored,
  example: 0,
  print: String,
  plainForm: "a whole number from -2147483648 to 2147483647",
  plainSchema: { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 },
  isNumber: true,
  isUsualId: true,
};

/** Minus zero is left to the functions. */
const isUsual = `typeof v === "number" && (v | 0) === v && (v !== 0 || 1 / v > 0)`;

/** Int32: an integer from -2^31 to 2^31 - 1. */
export const int32Serializer: Serializer<number> = {
  ...int32Type,
  name: "Int32",
  keyAdvice: "Write padded(10), or padded(10, { signed: true }) if it may be negative.",
  sample: 0,
  ...snapshotAsValue,
  code: {
    names: { readInt32, putNumber },
    isQuoted: false,
    fromValue: { test: isUsual, value: "v" },
    fromBytes: (id) => readBy(id, "0", "readInt32(b, p)"),
    toSnapshotValue: { test: isUsual, snapshotValue: "v", bytes: () => "4" },
    toBytes: { test: `typeof v === "number"`, put: "putNumber(o, v)" },
  },
  encode(value, path) {
    if (typeof value !== "number") throw SerializationError.wrongType(path, "a number", value);
    if ((value | 0) !== value)
      throw SerializationError.outOfRange(path, "whole numbers from -2147483648 to 2147483647");
    // Adding zero turns -0, which Int32 does not have, into 0.
    return value + 0;
  },
  decode(stored, annotation, path) {
    if (
      typeof stored !== "number" ||
      (stored | 0) !== stored ||
      (annotation !== undefined && annotation !== "Edm.Int32")
    )
      throw mismatch(int32Serializer, stored, annotation, path);
    // JSON may have -0.
    return stored + 0;
  },
  restore: (snapshotValue) => snapshotValue as StoredValue,
};

/** A whole number of up to 10 digits, within the range of Int32. Minus zero is not one. */
export function readInt32(bytes: Uint8Array, from: number): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let value = 0;
  for (
    let digit = (bytes[at] as number) - zero;
    digit >= 0 && digit <= 9;
    digit = (bytes[at] as number) - zero
  ) {
    value = value * 10 + digit;
    at++;
  }
  const count = at - first;
  const isUsual =
    count >= 1 &&
    count <= 10 &&
    (count === 1 || bytes[first] !== zero) &&
    value <= 0x7fffffff &&
    !(isNegative && value === 0);
  cursor.at = isUsual ? at : failed;
  return isNegative ? -value : value;
}

/** Writes a number in the form that JSON has. */
export function putNumber(into: ByteWriter, value: number): void {
  into.ascii(String(value));
}

const [minus, zero] = [0x2d, 0x30];
