import { SerializationError } from "../errors/serialization-error.ts";
import { inOrder } from "./edm-forms.ts";
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
  annotation: "never",
  isAnnotated: () => false,
  parse(value) {
    if (typeof value === "string") return parseBoolean(value);
    return typeof value === "boolean" ? value : undefined;
  },
  sizeOf: () => 1,
  compare: (a, b) => inOrder(a, b),
  isOrdered: false,
  canonical: (stored) => stored,
  example: true,
  print: String,
  plainForm: "true or false",
  sample: true,
  ...keptAsValue,
  encode(value, path) {
    if (typeof value !== "boolean") throw SerializationError.wrongType(path, "a boolean", value);
    return value;
  },
  decode(stored, annotation, path) {
    if (typeof stored !== "boolean" || (annotation !== undefined && annotation !== "Edm.Boolean"))
      throw mismatch(booleanSerializer, stored, annotation, path);
    return stored;
  },
  restore: (kept) => kept as StoredValue,
};
