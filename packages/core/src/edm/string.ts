import { SerializationError } from "../errors/serialization-error.ts";
import { keptAsValue, mismatch, type Serializer, sizeOfText } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/** 64 KiB of UTF-16. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxStringLength = 32_768;

/** String: well-formed UTF-16, at most 32,768 code units. */
export const stringSerializer: Serializer<string> = {
  name: "Text",
  edm: "Edm.String",
  ...keptAsValue,
  sizeOf: sizeOfText,
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a string", value);
    if (value.length > maxStringLength)
      throw SerializationError.tooLarge(path, value.length, maxStringLength, "UTF-16 code units");
    if (!value.isWellFormed())
      throw SerializationError.malformed(path, "well-formed Unicode, without lone surrogates");
    return value;
  },
  isAnnotated: () => false,
  decode(stored, annotation, path) {
    if (typeof stored !== "string" || (annotation !== undefined && annotation !== "Edm.String"))
      throw mismatch(stringSerializer, stored, annotation, path);
    return stored;
  },
  restore: (kept) => kept as StoredValue,
};
