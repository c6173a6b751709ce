import { SerializationError } from "../errors/serialization-error.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/** The Boolean of text: true or false in any case, as XML and spreadsheets write it, 1 or 0; undefined for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

/** Boolean. */
export const booleanSerializer: Serializer<boolean> = {
  name: "Bool",
  edm: "Edm.Boolean",
  ...keptAsValue,
  sizeOf: () => 1,
  encode(value, path) {
    if (typeof value !== "boolean") throw SerializationError.wrongType(path, "a boolean", value);
    return value;
  },
  isAnnotated: () => false,
  decode(stored, annotation, path) {
    if (typeof stored !== "boolean" || (annotation !== undefined && annotation !== "Edm.Boolean"))
      throw mismatch(booleanSerializer, stored, annotation, path);
    return stored;
  },
  restore: (kept) => kept as StoredValue,
};
