import { SerializationError } from "../errors/serialization-error.ts";
import { mismatch, type Serializer } from "./serializer.ts";

/** Boolean. */
export const booleanSerializer: Serializer<boolean> = {
  name: "Bool",
  edm: "Edm.Boolean",
  isVerbatim: true,
  sizeOf: () => 1,
  encode(value, path) {
    if (typeof value !== "boolean") throw SerializationError.wrongType(path, "a boolean", value);
    return value;
  },
  isAnnotated: () => false,
  decode(stored, annotation, path) {
    if (typeof stored !== "boolean") throw mismatch(booleanSerializer, stored, annotation, path);
    return stored;
  },
  isUnchanged: (stored, value) => stored === value,
};
