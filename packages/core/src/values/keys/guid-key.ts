import { isCanonicalGuid, storedGuid } from "../edm/guid.ts";
import type { GeneratingFormat } from "./key-format.ts";
import { textRange } from "./verbatim.ts";

/**
 * A GUID in a key: 32 hex digits in 5 groups, as `crypto.randomUUID()` returns it. Capitals are converted to lower
 * case. A new entity without a value gets a random one when it is created or added.
 */
export const guidKey: GeneratingFormat<string> = {
  format: "guid",
  accepts: "a GUID, such as 4185404a-5818-48c3-b9be-f217df0dba6f",
  width: 36,
  alphabet: "0123456789abcdef",
  generate: () => crypto.randomUUID(),
  encode: (value) => (typeof value === "string" ? storedGuid(value) : undefined),
  decode: (text) => (isCanonicalGuid(text) ? text : undefined),
  accepting: (operand) => typeof operand === "string",
  edm: "Edm.Guid",
  plainSchema: { type: "string", format: "uuid" },
  range: (operator, operand) =>
    typeof operand === "string" ? textRange(operator, storedGuid(operand) ?? operand) : "nothing",
};
