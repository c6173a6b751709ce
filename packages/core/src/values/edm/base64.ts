/** Whether a text is base64 as the service writes it: standard alphabet, with padding. */
export const isBase64 = (text: string): boolean => decodeBase64(text) !== undefined;

/** The bytes of base64 text; undefined if it is malformed. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const length = sizeOfBase64(text) - 4;
  if (!Number.isInteger(length)) return undefined;
  // An array with its own memory: short Buffers share a pool, which must not be visible through `.buffer`.
  const bytes = new Uint8Array(length);
  if (length <= shortLength || !hasBuffer) return decodeShort(text, bytes) ? bytes : undefined;
  const buffer = Buffer.from(bytes.buffer);
  buffer.write(text, "base64");
  // The runtime's decoder skips unknown characters and accepts two alphabets, so the text is encoded again and
  // compared. Unused bits of the last group may be set.
  const before = text.length - 4;
  const isSame = buffer.toString("base64").slice(0, before) === text.slice(0, before);
  const lastBytes = new Uint8Array(length - (before / 4) * 3);
  return isSame && decodeShort(text.slice(before), lastBytes) ? bytes : undefined;
}

/** Bytes as base64 text. */
export const base64Of = (bytes: Uint8Array): string =>
  hasBuffer
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
    : btoa(latin1Of(bytes));

/** The digits of base64, by value. */
const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The value of each digit by its character code; 64 for any other character. */
export const base64Values: Uint8Array = new Uint8Array(256).fill(64);
for (let value = 0; value < 64; value++) base64Values[base64Digits.charCodeAt(value)] = value;

/** Browsers have no Buffer. */
const hasBuffer = typeof Buffer !== "undefined";

const digitAt = (text: string, i: number): number => base64Values[text.charCodeAt(i)] ?? 64;

/** Up to this many bytes, decoding here is faster than creating a Buffer. */
const shortLength = 48;

/** Decodes four characters into three bytes at a time. Returns whether all of them were digits. */
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
 * One character for each byte, as snapshots hold them. Reading the `buffer` of a short array allocates one, which takes
 * longer than the loop.
 */
export function latin1Of(bytes: Uint8Array): string {
  if (bytes.byteLength <= 64) return String.fromCharCode.apply(undefined, bytes as unknown as number[]);
  if (!hasBuffer) return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The number of bytes that base64 text encodes, plus four for the length. */
export function sizeOfBase64(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding + 4;
}
