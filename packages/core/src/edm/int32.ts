import { SerializationError } from "../errors/serialization-error.ts";
import { inOrder } from "./edm-forms.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

const decimal = /^[+-]?\d{1,40}$/;

/** The Int32 of decimal text, with or without a sign and zeros before it; undefined for anything else. */
export function parseInt32(text: string): number | undefined {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return isInt32(value) ? value + 0 : undefined;
}

/** Whether a number is an Int32. */
export const isInt32 = (value: number): boolean => (value | 0) === value;

/** Int32: an integer from -2^31 to 2^31 - 1. */
export const int32Serializer: Serializer<number> = {
  name: "Int32",
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
  isNumber: true,
  isUsualId: true,
  sample: 0,
  ...keptAsValue,
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
  restore: (kept) => kept as StoredValue,
};
