import { SerializationError } from "../errors/serialization-error.ts";
import { type Kept, mismatch, type Serializer } from "./serializer.ts";

/** 64 KiB. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxBinaryBytes = 65_536;
/** Whether a text is base64 as the service writes it: standard alphabet, padded. */
export const isBase64 = (text: string): boolean => base64.test(text);

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Binary: a `Uint8Array` of at most 65,536 bytes; base64 on the wire. */
export const binarySerializer: Serializer<Uint8Array> = {
  name: "Binary",
  edm: "Edm.Binary",
  keeping: "stored",
  // One character a byte: half of base64's memory, and compared in half the time.
  keep: (stored) => atob(stored as string),
  restore: (kept) => Buffer.from(kept as string, "latin1").toString("base64"),
  sizeOf: sizeOfBase64,
  sizeOfKept: (kept) => (kept as string).length + 4,
  encode(value, path) {
    if (!(value instanceof Uint8Array)) throw SerializationError.wrongType(path, "a Uint8Array", value);
    if (value.byteLength > maxBinaryBytes)
      throw SerializationError.tooLarge(path, value.byteLength, maxBinaryBytes, "bytes");
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  },
  isAnnotated: () => true,
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Binary") throw mismatch(binarySerializer, stored, annotation, path);
    const bytes = typeof stored === "string" ? decodeBase64(stored) : undefined;
    if (bytes === undefined) throw SerializationError.malformed(path, "base64 text");
    return bytes;
  },
  isUnchanged(kept, value) {
    if (!(value instanceof Uint8Array)) return false;
    const bytes = kept as string;
    if (bytes.length !== value.length) return false;
    for (let i = 0; i < bytes.length; i++) if (bytes.charCodeAt(i) !== value[i]) return false;
    return true;
  },
};

/** The bytes of base64 text; undefined when it is malformed. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const length = sizeOfBase64(text) - 4;
  if (!Number.isInteger(length)) return undefined;
  // An array of its own: short Buffers share a pool, and its memory must not show through `.buffer`.
  const bytes = new Uint8Array(length);
  if (length <= shortLength) return decodeShort(text, bytes) ? bytes : undefined;
  // The decoder shows malformed text by skipping characters.
  return Buffer.from(bytes.buffer).write(text, "base64") === length ? bytes : undefined;
}

/** The digits of base64 by their values, as bytes of ASCII. */
export const base64Digits: Uint8Array = Buffer.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
);

/** The value of each of them by its character code; 64 for any other character. */
export const base64Values: Uint8Array = new Uint8Array(256).fill(64);
for (const [value, digit] of base64Digits.entries()) base64Values[digit] = value;

const digitAt = (text: string, i: number): number => base64Values[text.charCodeAt(i)] ?? 64;

/** Up to this many bytes are decoded here sooner than a Buffer is made for them. */
const shortLength = 48;

/** Decodes four characters into three bytes at a time; whether all of them were digits. */
function decodeShort(text: string, bytes: Uint8Array): boolean {
  let invalid = 0;
  for (let i = 0, at = 0; at < bytes.length; i += 4, at += 3) {
    const rest = bytes.length - at;
    const first = digitAt(text, i);
    const second = digitAt(text, i + 1);
    const third = rest > 1 ? digitAt(text, i + 2) : 0;
    const fourth = rest > 2 ? digitAt(text, i + 3) : 0;
    invalid |= first | second | third | fourth;
    const bits = (first << 18) | (second << 12) | (third << 6) | fourth;
    bytes[at] = bits >> 16;
    if (rest > 1) bytes[at + 1] = bits >> 8;
    if (rest > 2) bytes[at + 2] = bits;
  }
  return (invalid & 64) === 0;
}

/**
 * A character for each byte, as a snapshot keeps them. To ask a short array for its buffer makes one for it, which takes
 * longer than all the rest.
 */
export function latin1Of(bytes: Uint8Array): string {
  if (bytes.byteLength <= 64) return String.fromCharCode.apply(undefined, bytes as unknown as number[]);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Bytes behind base64 text, and four for their length. */
export function sizeOfBase64(stored: Kept): number {
  const text = stored as string;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding + 4;
}
