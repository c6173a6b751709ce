import { SerializationError } from "../errors/serialization-error.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";

const anyCase = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const expected = "a GUID such as 4185404a-5818-48c3-b9be-f217df0dba6f";

/** Guid as its stored text: 32 hex digits in 5 groups, in lower case. Capitals are the same GUID. */
export const guidSerializer: Serializer<string> = {
  name: "Guid",
  edm: "Edm.Guid",
  ...keptAsValue,
  sizeOf: () => 16,
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a GUID string", value);
    const guid = storedGuid(value);
    if (guid === undefined) throw SerializationError.malformed(path, expected);
    return guid;
  },
  isAnnotated: () => true,
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Guid") throw mismatch(guidSerializer, stored, annotation, path);
    const guid = typeof stored === "string" ? storedGuid(stored) : undefined;
    if (guid === undefined) throw SerializationError.malformed(path, expected);
    return guid;
  },
  restore: (kept) => (kept as string).toLowerCase(),
};

/** A GUID as it is stored, in lower case; undefined for any other text. */
export function storedGuid(text: string): string | undefined {
  if (isCanonicalGuid(text)) return text;
  return anyCase.test(text) ? text.toLowerCase() : undefined;
}

/** Whether a text has the canonical form: a loop over 36 characters, at a third of a regular expression's time. */
export function isCanonicalGuid(text: string): boolean {
  if (text.length !== 36) return false;
  for (let i = 0; i < 36; i++) {
    const code = text.charCodeAt(i);
    const isHyphen = i === 8 || i === 13 || i === 18 || i === 23;
    if (isHyphen ? code !== 45 : !((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
  }
  return true;
}
