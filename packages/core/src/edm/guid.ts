import { SerializationError } from "../errors/serialization-error.ts";
import { mismatch, type Serializer } from "./serializer.ts";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const anyCase = new RegExp(form, "i");
const expected = "a GUID such as 4185404a-5818-48c3-b9be-f217df0dba6f";

/** Guid as its canonical text: 32 lower-case hex digits in 5 groups. Upper case is accepted on read. */
export const guidSerializer: Serializer<string> = {
  name: "Guid",
  edm: "Edm.Guid",
  isVerbatim: false,
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a GUID string", value);
    if (!form.test(value)) throw SerializationError.malformed(path, `${expected}, in lower case`);
    return value;
  },
  isAnnotated: () => true,
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Guid") throw mismatch(guidSerializer, stored, annotation, path);
    if (typeof stored !== "string" || !anyCase.test(stored))
      throw SerializationError.malformed(path, expected);
    return stored.toLowerCase();
  },
  isUnchanged: (stored, value) => typeof stored === "string" && stored.toLowerCase() === value,
};
