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
function decodeBase64(text: string): Uint8Array | undefined {
  const length = sizeOfBase64(text) - 4;
  if (!Number.isInteger(length)) return undefined;
  // An array of its own: short Buffers share a pool, and its memory must not show through `.buffer`.
  const bytes = new Uint8Array(length);
  if (length <= shortLength)
    return eachShortByte(text, length, (byte, at) => ((bytes[at] = byte), true)) ? bytes : undefined;
  // The decoder shows malformed text by skipping characters.
  return Buffer.from(bytes.buffer).write(text, "base64") === length ? bytes : undefined;
}

/** Value of each base64 digit by its character code; 64 for any other character. */
const digits = new Uint8Array(128).fill(64);
for (const [value, digit] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
).entries())
  digits[digit.charCodeAt(0)] = value;

/** Up to this many bytes are decoded here sooner than a Buffer is made for them. */
const shortLength = 48;

/** Visits the bytes of base64 text while `visit` returns true; whether it did to the end, and the text was well formed. */
function eachShortByte(text: string, length: number, visit: (byte: number, at: number) => boolean): boolean {
  let bits = 0;
  let count = 0;
  for (let i = 0, at = 0; at < length; i++) {
    const value = digits[text.charCodeAt(i)];
    if (value === undefined || value === 64) return false;
    bits = ((bits << 6) | value) & 0xfff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    if (!visit((bits >> count) & 0xff, at++)) return false;
  }
  return true;
}

/** Bytes behind base64 text, and four for their length. */
export function sizeOfBase64(stored: Kept): number {
  const text = stored as string;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding + 4;
}
