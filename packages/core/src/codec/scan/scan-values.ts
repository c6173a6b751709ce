/* oxlint-disable no-bitwise -- arithmetic of bytes */

import { base64Values, decodeBase64 } from "../../edm/base64.ts";
import { endOfText } from "../../edm/json-bytes.ts";
import { packedValue } from "../../edm/packed-bytes.ts";

/*
 * Reads values from the bytes of JSON. Each reader leaves in `cursor` where the value ends, behind a closing quote; -1
 * where the bytes are not of the usual form, which is then left to the parser and to the serializer of the property.
 */

/** What the readers find beside a value. */
export interface Cursor {
  /** The first byte behind the value; -1 where it is not of the usual form. */
  at: number;
  /** Of a date: its ticks of 100 ns below the millisecond; -1 where they are written with fewer than seven digits. */
  ticks: number;
  /** Where the row begins that is being read. */
  row: number;
  /** The bytes that are packed behind it; undefined where there are none. */
  packed: Uint8Array | undefined;
}

export const cursor: Cursor = { at: 0, ticks: 0, row: 0, packed: undefined };

const failed = -1;
const [quote, star, comma, minus, point, zero] = [0x22, 0x2a, 0x2c, 0x2d, 0x2e, 0x30];
const [backslash, brace] = [0x5c, 0x7d];

/** Bytes that a loop looks at; native code is faster beyond. */
const longText = 200;

/**
 * A text that has escapes, is not ASCII, or is long.
 *
 * @param from - its first byte, behind the quote
 */
export function readText(bytes: Buffer, from: number): string | undefined {
  let isPlain = true;
  let at = from;
  const near = from + longText;
  for (; at < near; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) break;
    if (byte === backslash) {
      isPlain = false;
      at++;
    } else if (!(byte >= 0x20)) return fail();
  }
  if (at >= near || !isPlain) return parsedText(bytes, from, at);
  cursor.at = at + 1;
  return bytes.toString("utf8", from, at);
}

/** The parser checks and converts what is long or escaped. */
function parsedText(bytes: Buffer, from: number, searched: number): string | undefined {
  const end = endOfText(bytes, searched);
  if (end === undefined) return fail();
  try {
    const text = JSON.parse(bytes.toString("utf8", from - 1, end + 1)) as string;
    cursor.at = end + 1;
    return text;
  } catch {
    return fail();
  }
}

function fail(): undefined {
  cursor.at = failed;
  return undefined;
}

/** A whole number of up to 10 digits, within Int32. Minus zero is none. */
export function readInt32(bytes: Uint8Array, from: number): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let value = 0;
  for (
    let digit = (bytes[at] as number) - zero;
    digit >= 0 && digit <= 9;
    digit = (bytes[at] as number) - zero
  ) {
    value = value * 10 + digit;
    at++;
  }
  const count = at - first;
  const isUsual =
    count >= 1 &&
    count <= 10 &&
    (count === 1 || bytes[first] !== zero) &&
    value <= 0x7fffffff &&
    !(isNegative && value === 0);
  cursor.at = isUsual ? at : failed;
  return isNegative ? -value : value;
}

/** Powers of ten by which a division is exact. */
const powers = Float64Array.from({ length: 23 }, (_, i) => 10 ** i);

/** Digits of a whole number that a Double holds exactly. */
const exactDigits = 15;

/**
 * A number with a point, which is a Double; without one it would be an Int32. Up to 15 digits are exact in one division.
 *
 * @param isTold - whether its annotation says that it is a Double: then it needs no point
 */
export function readDouble(bytes: Buffer, from: number, isTold: boolean): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let value = 0;
  let digit = (bytes[at] as number) - zero;
  for (; digit >= 0 && digit <= 9; digit = (bytes[at] as number) - zero) {
    value = value * 10 + digit;
    at++;
  }
  const whole = at - first;
  cursor.at = failed;
  if (whole === 0 || (whole > 1 && bytes[first] === zero)) return 0;
  let places = 0;
  if (bytes[at] === point) {
    at++;
    for (
      digit = (bytes[at] as number) - zero;
      digit >= 0 && digit <= 9;
      digit = (bytes[at] as number) - zero
    ) {
      value = value * 10 + digit;
      at++;
      places++;
    }
    if (places === 0) return 0;
  } else if (!isTold) return 0;
  const end = bytes[at];
  // An exponent, or something else.
  if (end !== comma && end !== brace) return 0;
  if (isNegative && value === 0) return 0;
  if (whole + places > exactDigits) {
    const number = Number(bytes.toString("latin1", from, at));
    // Hundreds of digits may be beyond Double; a fraction that no Double has leaves a whole number.
    if (Number.isFinite(number) && (isTold || !Number.isInteger(number))) cursor.at = at;
    return number;
  }
  cursor.at = at;
  const size = places === 0 ? value : value / (powers[places] as number);
  return isNegative ? -size : size;
}

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

const words = new BigInt64Array(1);
const halves = new Uint32Array(words.buffer);

/** Digits that are added up as one number. */
const partDigits = 9;

/** An Int64 of up to 18 digits, in quotes. */
export function readInt64(bytes: Uint8Array, from: number): bigint {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let [at, high, low] = [first, 0, 0];
  let digit = (bytes[at] as number) - zero;
  for (; digit >= 0 && digit <= 9; digit = (bytes[at] as number) - zero) {
    if (at - first < partDigits) high = high * 10 + digit;
    else low = low * 10 + digit;
    at++;
  }
  const count = at - first;
  if (count < 1 || count > 2 * partDigits || bytes[at] !== quote) {
    cursor.at = failed;
    return 0n;
  }
  cursor.at = at + 1;
  return int64Of(high, low, Math.max(0, count - partDigits), isNegative);
}

/** `high * 10 ** places + low` as one bigint, in two halves of 32 bits. */
function int64Of(high: number, low: number, places: number, isNegative: boolean): bigint {
  const power = powers[places] as number;
  const lower = (high & 0xffff) * power + low;
  const upper = Math.floor(high / 0x10000) * power + Math.floor(lower / 0x10000);
  let lowHalf = ((upper % 0x10000) * 0x10000 + (lower % 0x10000)) >>> 0;
  let highHalf = Math.floor(upper / 0x10000) >>> 0;
  if (isNegative) {
    lowHalf = (~lowHalf + 1) >>> 0;
    highHalf = (~highHalf + (lowHalf === 0 ? 1 : 0)) >>> 0;
  }
  halves[0] = lowHalf;
  halves[1] = highHalf;
  return words[0] as bigint;
}

/** What each byte of a GUID may be: 1 a digit of it, 2 a hyphen. */
const guidBytes = new Uint8Array(256);
for (const digit of "0123456789abcdef") guidBytes[digit.charCodeAt(0)] = 1;
guidBytes[minus] = 2;
const guidForm = Uint8Array.from({ length: 36 }, (_, i) =>
  i === 8 || i === 13 || i === 18 || i === 23 ? 2 : 1,
);

/** Copies a GUID in lower case to `target`, where a row's texts are put together. */
export function copyGuid(bytes: Uint8Array, from: number, target: Uint8Array, to: number): void {
  let differs = 0;
  for (let i = 0; i < 36; i++) {
    const byte = bytes[from + i] as number;
    differs |= (guidBytes[byte] as number) ^ (guidForm[i] as number);
    target[to + i] = byte;
  }
  cursor.at = differs === 0 && bytes[from + 36] === quote ? from + 37 : failed;
}

/** The bytes of padded base64, or a copy of packed ones: in memory of their own, as whatever an entity has. */
export function readBinary(bytes: Buffer, from: number): Uint8Array {
  const isPacked = bytes[from] === star;
  const value = readBinaryInPlace(bytes, from);
  return isPacked ? new Uint8Array(value) : value;
}

/** The bytes of padded base64, four characters at a time; of a long one, by the runtime. Packed ones where they are. */
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

const noBytes = new Uint8Array(0);

/** The 24 bits of four digits; padding counts as anything. */
const bitsAt = (bytes: Uint8Array, i: number): number =>
  ((base64Values[bytes[i] as number] as number) << 18) |
  ((base64Values[bytes[i + 1] as number] as number) << 12) |
  (((base64Values[bytes[i + 2] as number] as number) & 63) << 6) |
  ((base64Values[bytes[i + 3] as number] as number) & 63);
