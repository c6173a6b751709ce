import { SerializationError } from "../errors/serialization-error.ts";
import { inOrder } from "./edm-forms.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/** 64 KiB of UTF-16. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxStringLength = 32_768;

/** String: well-formed UTF-16, at most 32,768 code units. */
export const stringSerializer: Serializer<string> = {
  name: "Text",
  edm: "Edm.String",
  annotation: "never",
  isAnnotated: () => false,
  parse: (value) => (typeof value === "string" && value.isWellFormed() ? value : undefined),
  isTooLarge: (stored) => (stored as string).length > maxStringLength,
  // Two bytes a UTF-16 unit, and four for its length.
  sizeOf: (stored) => 2 * (stored as string).length + 4,
  // By UTF-16 units.
  compare: (a, b) => inOrder(a, b),
  isOrdered: true,
  canonical: (stored) => stored,
  example: "",
  print: (stored) => `'${String(stored).replaceAll("'", "''")}'`,
  quoted: {
    prefixes: [""],
    parse(content) {
      const text = content.replaceAll("''", "'");
      return text.isWellFormed() ? text : undefined;
    },
    problem: "a text holds a lone surrogate",
  },
  plainForm: "text of the property's form",
  sample: "a",
  ...keptAsValue,
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a string", value);
    if (value.length > maxStringLength)
      throw SerializationError.tooLarge(path, value.length, maxStringLength, "UTF-16 code units");
    if (!value.isWellFormed())
      throw SerializationError.malformed(path, "well-formed Unicode, without lone surrogates");
    return value;
  },
  decode(stored, annotation, path) {
    if (typeof stored !== "string" || (annotation !== undefined && annotation !== "Edm.String"))
      throw mismatch(stringSerializer, stored, annotation, path);
    return stored;
  },
  restore: (kept) => kept as StoredValue,
};
