import { cursor, failed } from "./cursor.ts";
import { putText } from "./string.ts";
import { giveUp } from "./value-code.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { type EdmForms, inOrder, textIn } from "./edm-forms.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";

const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const noGuid = "00000000-0000-0000-0000-000000000000";
const expected = "a GUID such as 4185404a-5818-48c3-b9be-f217df0dba6f";

/** The stored forms of Guid. */
export const guidType: EdmForms = {
  edm: "Edm.Guid",
  annotation: "always",
  isAnnotated: () => true,
  parse: (value) => storedGuid(textIn(value)),
  sizeOf: () => 16,
  compare: (a, b) => inOrder(String(a).toLowerCase(), String(b).toLowerCase()),
  isOrdered: false,
  canonical: (stored) => String(stored).toLowerCase(),
  example: noGuid,
  print: (stored) => `guid'${stored}'`,
  quoted: { prefixes: ["guid"], parse: storedGuid, problem: "a guid'…' does not hold a GUID" },
  plainForm: "a GUID as text",
  plainSchema: { type: "string", format: "uuid" },
  isUsualId: true,
};

/** Guid as its stored text: 32 hex digits in 5 groups, in lower case. Upper case is the same GUID. */
export const guidSerializer: Serializer<string> = {
  ...guidType,
  name: "Guid",
  sample: noGuid,
  ...snapshotAsValue,
  code: {
    names: { isCanonicalGuid, copyGuid, putText },
    isQuoted: true,
    fromValue: { test: `typeof v === "string" && isCanonicalGuid(v)`, value: "v" },
    fromBytes: (id) => ({
      variables: [`f${id} = 0`],
      code: `f${id} = n; copyGuid(b, p, t, n); n += 36; ${giveUp}`,
      value: `texts.substring(f${id}, f${id} + 36)`,
    }),
    toSnapshotValue: {
      test: `typeof v === "string" && isCanonicalGuid(v)`,
      snapshotValue: "v",
      bytes: () => "16",
    },
    // An entity may hold it in upper case.
    toBytes: { test: `typeof v === "string"`, put: "putText(o, v.toLowerCase())" },
  },
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "a GUID string", value);
    const guid = storedGuid(value);
    if (guid === undefined) throw SerializationError.malformed(path, expected);
    return guid;
  },
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Guid") throw mismatch(guidSerializer, stored, annotation, path);
    const guid = typeof stored === "string" ? storedGuid(stored) : undefined;
    if (guid === undefined) throw SerializationError.malformed(path, expected);
    return guid;
  },
  restore: (snapshotValue) => (snapshotValue as string).toLowerCase(),
};

/** The stored form of a GUID, in lower case; undefined for any other text. */
export function storedGuid(text: string): string | undefined {
  if (isCanonicalGuid(text)) return text;
  const lower = text.toLowerCase();
  return isCanonicalGuid(lower) ? lower : undefined;
}

/** Whether a text has the canonical form. */
export function isCanonicalGuid(text: string): boolean {
  return canonical.test(text);
}

const [quote, hyphen] = [0x22, 0x2d];

/** The kind of each character code: 1 for a digit of a GUID, 2 for a hyphen. */
const guidBytes = new Uint8Array(256);
for (const digit of "0123456789abcdef") guidBytes[digit.charCodeAt(0)] = 1;
guidBytes[hyphen] = 2;
const guidForm = Uint8Array.from({ length: 36 }, (_, i) =>
  i === 8 || i === 13 || i === 18 || i === 23 ? 2 : 1,
);

/** Copies a GUID in lower case to `target`, which collects the texts of a row. */
function copyGuid(bytes: Uint8Array, from: number, target: Uint8Array, to: number): void {
  let differs = 0;
  for (let i = 0; i < 36; i++) {
    const byte = bytes[from + i] as number;
    differs |= (guidBytes[byte] as number) ^ (guidForm[i] as number);
    target[to + i] = byte;
  }
  cursor.at = differs === 0 && bytes[from + 36] === quote ? from + 37 : failed;
}
