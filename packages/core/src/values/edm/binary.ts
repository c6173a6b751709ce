import type { ByteWriter } from "./byte-writer.ts";
import { cursor, failed } from "./cursor.ts";
import { type BytesCode, readBy } from "./value-code.ts";
import { isUint8Array } from "../errors/built-ins.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { base64Of, base64Values, decodeBase64, isBase64, latin1Of, sizeOfBase64 } from "./base64.ts";
import { type EdmForms, inOrder } from "./edm-forms.ts";
import { packedLength, packedValue, sizeOfPacked } from "./packed-bytes.ts";
import { mismatch, type Serializer } from "./serializer.ts";

/** 64 KiB. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxBinaryBytes = 65_536;

/** The stored forms of Binary. */
export const binaryType: EdmForms = {
  edm: "Edm.Binary",
  annotation: "always",
  isAnnotated: () => true,
  parse: (value) => (typeof value === "string" && isBase64(value) ? value : undefined),
  isTooLarge: (stored) => Buffer.byteLength(stored as string, "base64") > maxBinaryBytes,
  sizeOf: (stored) => sizeOfPacked(stored as string) ?? sizeOfBase64(stored as string),
  compare: (a, b) => inOrder(atob(String(a)), atob(String(b))),
  isOrdered: false,
  isOpaque: true,
  canonical: (stored) => stored,
  example: "",
  print: (stored) => `X'${hexOf(atob(String(stored)))}'`,
  quoted: {
    prefixes: ["X", "binary"],
    parse: (content) =>
      content.length % 2 > 0 || /[^0-9A-Fa-f]/.test(content)
        ? undefined
        : btoa(content.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))),
    problem: "an X'…' does not hold pairs of hexadecimal digits",
  },
  plainForm: "bytes as base64 text",
  plainSchema: {
    type: "string",
    contentEncoding: "base64",
    pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  },
};

/** The hexadecimal digits of bytes that are one character each. */
const hexOf = (latin1: string): string =>
  Array.from(latin1, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();

/** Binary: a `Uint8Array` of at most 65,536 bytes; base64 on the wire. */
export const binarySerializer: Serializer<Uint8Array> = {
  ...binaryType,
  name: "Binary",
  code: {
    names: { decodeBase64, latin1Of, readBinary, putBase64, isUint8Array },
    isQuoted: true,
    fromValue: {
      test: `typeof v === "string" && (t = decodeBase64(v)) !== undefined`,
      value: "t",
      snapshotValue: "atob(v)",
    },
    fromBytes: (id) => binaryFromBytes(id, "readBinary"),
    toSnapshotValue: {
      test: `isUint8Array(v) && v.byteLength <= ${maxBinaryBytes}`,
      snapshotValue: "latin1Of(v)",
      bytes: (value) => `${value}.byteLength + 4`,
    },
    toBytes: { test: `typeof v === "string"`, put: "putBase64(o, v)" },
  },
  keeping: "stored",
  // One character for each byte: half of the memory of base64, and compared in half the time.
  keep: (stored) => atob(stored as string),
  restore: (snapshotValue) => btoa(snapshotValue as string),
  sizeOfSnapshotValue: (snapshotValue) => (snapshotValue as string).length + 4,
  encode(value, path) {
    if (!isUint8Array(value)) throw SerializationError.wrongType(path, "a Uint8Array", value);
    if (value.byteLength > maxBinaryBytes)
      throw SerializationError.tooLarge(path, value.byteLength, maxBinaryBytes, "bytes");
    return base64Of(value);
  },
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Binary") throw mismatch(binarySerializer, stored, annotation, path);
    const bytes = typeof stored === "string" ? decodeBase64(stored) : undefined;
    if (bytes === undefined) throw SerializationError.malformed(path, "base64 text");
    return bytes;
  },
  isUnchanged: (snapshotValue, value) => isSameBytes(snapshotValue as string, value),
};

/** Whether a value has the same bytes as the snapshot value. */
function isSameBytes(snapshotValue: string, value: unknown): boolean {
  if (!isUint8Array(value)) return false;
  const { length } = value;
  if (snapshotValue.length !== length) return false;
  for (let i = 0; i < length; i++) if (value[i] !== snapshotValue.charCodeAt(i)) return false;
  return true;
}

/** @param read - the function that reads it */
export const binaryFromBytes = (id: string, read: string): BytesCode => ({
  ...readBy(id, "undefined", `${read}(b, p)`),
  snapshotValue: `latin1Of(x${id})`,
});

/** Up to this many bytes, a loop is faster than native code. */
const longText = 200;

/**
 * The bytes of padded base64, or a copy of packed bytes. The array has its own memory, like every array that an entity
 * gets.
 */
function readBinary(bytes: Buffer, from: number): Uint8Array {
  const isPacked = bytes[from] === star;
  const value = readBinaryInPlace(bytes, from);
  return isPacked ? new Uint8Array(value) : value;
}

/**
 * The bytes of padded base64: decoded four characters at a time, or by the runtime if the text is long. Packed bytes
 * are not copied.
 */
export function readBinaryInPlace(bytes: Buffer, from: number): Uint8Array {
  if (bytes[from] === star && cursor.packed !== undefined) return packedBinary(bytes, from, cursor.packed);
  let end = from;
  const near = from + longText;
  while (end < near && (base64Values[bytes[end] as number] as number) < 64) end++;
  if (end === near) return longBinary(bytes, from);
  let padding = 0;
  while (padding < 2 && bytes[end + padding] === 0x3d) padding++;
  const characters = end + padding - from;
  cursor.at = failed;
  if (bytes[end + padding] !== quote || characters % 4 !== 0) return noBytes;
  const value = new Uint8Array((characters / 4) * 3 - padding);
  let [i, at] = [from, 0];
  for (; i + 4 <= end; i += 4, at += 3) {
    const bits = bitsAt(bytes, i);
    value[at] = bits >> 16;
    value[at + 1] = bits >> 8;
    value[at + 2] = bits;
  }
  if (padding > 0) {
    const bits = bitsAt(bytes, i);
    value[at] = bits >> 16;
    if (padding === 1) value[at + 1] = bits >> 8;
  }
  cursor.at = end + padding + 1;
  return value;
}

function packedBinary(bytes: Buffer, from: number, data: Uint8Array): Uint8Array {
  const end = bytes.indexOf(quote, from);
  const value = end < 0 ? undefined : packedValue(bytes.toString("latin1", from, end), data);
  cursor.at = value === undefined ? failed : end + 1;
  return value ?? noBytes;
}

function longBinary(bytes: Buffer, from: number): Uint8Array {
  const end = bytes.indexOf(quote, from);
  const value = end < 0 ? undefined : decodeBase64(bytes.toString("latin1", from, end));
  cursor.at = value === undefined ? failed : end + 1;
  return value ?? noBytes;
}

const [quote, star] = [0x22, 0x2a];

const noBytes = new Uint8Array(0);

/** The 24 bits of four digits; padding has any value. */
const bitsAt = (bytes: Uint8Array, i: number): number =>
  ((base64Values[bytes[i] as number] as number) << 18) |
  ((base64Values[bytes[i + 1] as number] as number) << 12) |
  (((base64Values[bytes[i + 2] as number] as number) & 63) << 6) |
  ((base64Values[bytes[i + 3] as number] as number) & 63);

/** @param snapshotValue - one character for each byte, or the bytes themselves */
export function putBase64(into: ByteWriter, snapshotValue: string | { readonly sent: Uint8Array }): void {
  const bytes = typeof snapshotValue === "string" ? snapshotValue : snapshotValue.sent;
  if (into.isMeasuring) into.skip(4 * Math.ceil(bytes.length / 3));
  else if (into.takeBytes !== undefined && bytes.length >= packedLength) into.ascii(into.takeBytes(bytes));
  else into.ascii(typeof bytes === "string" ? btoa(bytes) : base64Of(bytes));
  into.byte(quote);
}
