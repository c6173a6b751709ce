import { SerializationError } from "../errors/serialization-error.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

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
