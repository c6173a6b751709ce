import { type ByteWriter, constantOf } from "./byte-writer.ts";
import { cursor, failed } from "./cursor.ts";
import { readBy } from "./value-code.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { type EdmForms, inOrder } from "./edm-forms.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/**
 * Parses a Boolean: true or false in any case, as XML and spreadsheets write it, or 1 or 0. Undefined for any other
 * text.
 */
function parseBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

/** The stored forms of Boolean. */
export const booleanType: EdmForms = {
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
  plainSchema: { type: "boolean" },
};

/** Boolean. */
export const booleanSerializer: Serializer<boolean> = {
  ...booleanType,
  name: "Bool",
  sample: true,
  ...snapshotAsValue,
  code: {
    names: { readBoolean, putBoolean },
    isQuoted: false,
    fromValue: { test: `typeof v === "boolean"`, value: "v" },
    fromBytes: (id) => readBy(id, "false", "readBoolean(b, p)"),
    toSnapshotValue: { test: `typeof v === "boolean"`, snapshotValue: "v", bytes: () => "1" },
    toBytes: { test: `typeof v === "boolean"`, put: "putBoolean(o, v)" },
  },
  encode(value, path) {
    if (typeof value !== "boolean") throw SerializationError.wrongType(path, "a boolean", value);
    return value;
  },
  decode(stored, annotation, path) {
    if (typeof stored !== "boolean" || (annotation !== undefined && annotation !== "Edm.Boolean"))
      throw mismatch(booleanSerializer, stored, annotation, path);
    return stored;
  },
  restore: (snapshotValue) => snapshotValue as StoredValue,
};

/** `true` or `false`. */
export function readBoolean(bytes: Uint8Array, from: number): boolean {
  if (bytes[from] === 0x74) {
    const isTrue = bytes[from + 1] === 0x72 && bytes[from + 2] === 0x75 && bytes[from + 3] === 0x65;
    cursor.at = isTrue ? from + 4 : failed;
    return true;
  }
  const isFalse =
    bytes[from] === 0x66 &&
    bytes[from + 1] === 0x61 &&
    bytes[from + 2] === 0x6c &&
    bytes[from + 3] === 0x73 &&
    bytes[from + 4] === 0x65;
  cursor.at = isFalse ? from + 5 : failed;
  return false;
}

function putBoolean(into: ByteWriter, value: boolean): void {
  into.constant(value ? yes : no);
}

const yes = constantOf("true");
const no = constantOf("false");
