import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import type { Serializer } from "./serializer.ts";
import { stringSerializer } from "./string.ts";

/** A JSON value as text in a String property. What JSON cannot say (functions, bigint, cycles, NaN) is refused. */
export const jsonSerializer: Serializer<unknown> = {
  name: "Json",
  edm: "Edm.String",
  encode(value, path) {
    return stringSerializer.encode(toJsonText(value, path), path);
  },
  isAnnotated: () => false,
  decode(stored, annotation, path) {
    const text = stringSerializer.decode(stored, annotation, path);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw SerializationError.conversion(path, "decode", cause);
    }
  },
  isUnchanged(stored, value) {
    try {
      const text = JSON.stringify(value);
      // Compared decoded: spacing in the stored text is no change.
      return text === stored || (typeof stored === "string" && text === JSON.stringify(JSON.parse(stored)));
    } catch {
      return false;
    }
  },
};

function toJsonText(value: unknown, path: PropertyPath): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuseLoss);
  } catch (cause) {
    throw SerializationError.conversion(path, "encode", cause);
  }
  if (text === undefined) throw SerializationError.wrongType(path, "a JSON value", value);
  return text;
}

/** Values that JSON.stringify would drop or change without a word. */
function refuseLoss(this: unknown, _name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError("JSON has no NaN or Infinity.");
  if (typeof value === "function" || typeof value === "symbol")
    throw new TypeError(`JSON has no ${typeof value}.`);
  if (value === undefined && Array.isArray(this)) throw new TypeError("JSON has no undefined in arrays.");
  if (value instanceof Map || value instanceof Set) throw new TypeError("JSON has no Map or Set.");
  return value;
}
