/* oxlint-disable no-bitwise -- a set of bits */
import { base64Of, base64Values } from "../../edm/base64.ts";
import { parseDouble } from "../../edm/double.ts";
import { packedValue } from "../../edm/packed-bytes.ts";
import {
  annotationOf,
  type EdmType,
  edmTypeOf,
  isSystemName,
  type StoredValue,
} from "../../edm/stored-entity.ts";
import type { UserProperties } from "../../storage/check-write.ts";

/**
 * A Bloom filter of a row's values, in two columns beside its keys in an index. Each value sets three bits, so a row
 * where one of them is not set has not got that value, and need not be read. A column holds the bits that are not set.
 */
export type RowSignature = readonly [s0: number, s1: number];

/** The bits of one value: all in one column, so that a test reads one only. */
export interface ValueBits {
  readonly column: 0 | 1;
  readonly bits: bigint;
}

/** As many as a number holds beside the check digits; in halves that bit operations take. */
const bitCount = 44;
const halfCount = bitCount / 2;
const allOfHalf = 2 ** halfCount - 1;

/** Room for the check digits. */
const checkRoom = 512;
/**
 * Every column is a multiple of this prime. One that has a byte changed on the disk is none, since no product of a power
 * of 256 and a smaller number is; such a row counts as one that may have any value.
 */
export const signatureFactor = 257;

/**
 * The signature of a row with these properties.
 *
 * @param packed - the bytes that texts may stand for
 */
export function signatureOf(properties: UserProperties, packed?: Uint8Array): RowSignature {
  let [low0, high0, low1, high1] = [0, 0, 0, 0];
  for (const name in properties) {
    const value = properties[name];
    const known = knownNames.get(name) ?? learnName(name);
    if (known.isAnnotation || value === undefined) continue;
    const edm = edmTypeOf(value, properties[known.annotation]);
    const bytes = packed && edm === "Edm.Binary" ? packedValue(value as string, packed) : undefined;
    const hash = bytes === undefined ? hashOf(known.hash, edm, value) : hashOfPacked(known.hash, bytes);
    const [a, b, c] = [hash & digitMask, (hash >>> 10) & digitMask, (hash >>> 20) & digitMask];
    const low = (lowBits[a] as number) | (lowBits[b] as number) | (lowBits[c] as number);
    const high = (highBits[a] as number) | (highBits[b] as number) | (highBits[c] as number);
    if (hash < 0) {
      low1 |= low;
      high1 |= high;
    } else {
      low0 |= low;
      high0 |= high;
    }
  }
  return [columnValue(low0, high0), columnValue(low1, high1)];
}

/** The bits that every row has whose property of this name equals this value, as filters compare them. */
export function bitsOf(name: string, edm: EdmType, value: StoredValue): ValueBits {
  const hash = hashOf(hashOfName(name), edm, value);
  const bits = [0, 10, 20].reduce((sum, shift) => {
    const digit = (hash >>> shift) & digitMask;
    return sum | BigInt(lowBits[digit] as number) | (BigInt(highBits[digit] as number) << BigInt(halfCount));
  }, 0n);
  return { column: hash < 0 ? 1 : 0, bits: bits * BigInt(checkRoom) };
}

/** A hash gives its column by its sign, and its three bits by three digits of this many values. */
const digitValues = 1024;
const digitMask = digitValues - 1;

/** The bit that each digit sets, in the lower or in the higher half. */
const lowBits = new Int32Array(digitValues);
const highBits = new Int32Array(digitValues);
for (let digit = 0; digit < digitValues; digit++) {
  const bit = Math.floor((digit * bitCount) / digitValues);
  if (bit < halfCount) lowBits[digit] = 1 << bit;
  else highBits[digit] = 1 << (bit - halfCount);
}

function columnValue(low: number, high: number): number {
  const unset = ((allOfHalf ^ high) * 2 ** halfCount + (allOfHalf ^ low)) * checkRoom;
  return unset + ((signatureFactor - (unset % signatureFactor)) % signatureFactor);
}

interface KnownName {
  readonly isAnnotation: boolean;
  readonly annotation: string;
  readonly hash: number;
}

/** What is known of names: a program has few of them, and each comes with every row. */
const knownNames = new Map<string, KnownName>();
const maxKnownNames = 10_000;

function learnName(name: string): KnownName {
  const known = { isAnnotation: isSystemName(name), annotation: annotationOf(name), hash: hashOfName(name) };
  if (knownNames.size < maxKnownNames) knownNames.set(name, known);
  return known;
}

const hashOfName = (name: string): number => mixedText(name, 0, name.length, 0);

/** The same for all values that a filter takes for equal, whatever their types and however they are written. */
function hashOf(start: number, edm: EdmType, value: StoredValue): number {
  switch (edm) {
    case "Edm.Int32":
    case "Edm.Int64":
    case "Edm.Double": {
      // Equal whole numbers are equal Doubles, though not the other way round.
      const number = (edm === "Edm.Double" ? parseDouble(value) : Number(value)) ?? 0;
      return spread((number | 0) === number ? mixed(number | 0, start) : mixedDouble(number, start));
    }
    case "Edm.Boolean":
      return spread(mixed(value === true ? 1 : 0, start));
    case "Edm.String":
      return spread(mixedText(value as string, 0, (value as string).length, start));
    case "Edm.DateTime":
      return spread(mixedText(value as string, 0, endOfTime(value as string), start));
    case "Edm.Guid":
      return spread(mixedText(value as string, 0x20, (value as string).length, start));
    case "Edm.Binary": {
      const text = canonicalBase64(value as string);
      return spread(mixedText(text, 0, text.length, start));
    }
    default:
      return edm satisfies never;
  }
}

/** As `hashOf` of their base64. Packed bytes are long, and only the ends of long texts count. */
function hashOfPacked(start: number, bytes: Uint8Array): number {
  const { length } = bytes;
  const digits = 4 * Math.ceil(length / 3);
  const head = base64Of(bytes.subarray(0, countedBytes));
  const tail = base64Of(bytes.subarray(3 * Math.ceil(length / 3) - countedBytes));
  return spread(mixedUnits(head + tail, 0, 2 * countedUnits, 0, mixed(digits, start)));
}

/** Where the text of a time ends, without the Z and the zeros that its fraction ends in. */
function endOfTime(text: string): number {
  let end = text.endsWith("Z") ? text.length - 1 : text.length;
  if (end <= secondsEnd) return end;
  while (text.charCodeAt(end - 1) === zero) end--;
  // Nothing of it is left but its point.
  return end === secondsEnd + 1 ? secondsEnd : end;
}

/** The length of `2024-01-01T00:00:00`. */
const secondsEnd = 19;
const zero = 48;

/** Unused bits of the last group may be set, which is rare. */
function canonicalBase64(text: string): string {
  if (!text.endsWith("=")) return text;
  const padding = text.endsWith("==") ? 2 : 1;
  const last = base64Values[text.charCodeAt(text.length - padding - 1)] as number;
  const unusedBits = padding === 2 ? 15 : 3;
  if ((last & unusedBits) === 0) return text;
  return text.slice(0, -4) + Buffer.from(text.slice(-4), "base64").toString("base64");
}

const scratch = new Float64Array(1);
const scratchHalves = new Int32Array(scratch.buffer);

function mixedDouble(value: number, start: number): number {
  scratch[0] = value;
  return mixed(scratchHalves[1] as number, mixed(scratchHalves[0] as number, start));
}

/** Units of a long text that count, at its beginning and at its end; so many digits of base64 are of so many bytes. */
const countedUnits = 16;
const countedBytes = (countedUnits / 4) * 3;

/**
 * Of long texts the beginning, the end and the length: others differ in these as a rule, and need not. `set` are bits to
 * set in every unit: 0x20 makes capitals small, and leaves digits and hyphens as they are.
 */
function mixedText(text: string, set: number, end: number, start: number): number {
  const hash = mixed(end, start);
  if (end <= 2 * countedUnits) return mixedUnits(text, 0, end, set, hash);
  return mixedUnits(text, end - countedUnits, end, set, mixedUnits(text, 0, countedUnits, set, hash));
}

function mixedUnits(text: string, from: number, to: number, set: number, start: number): number {
  let hash = start;
  for (let i = from; i < to; i++) hash = mixed(text.charCodeAt(i) | set, hash);
  return hash;
}

/** One step of FNV-1a, by more than a byte. */
const mixed = (value: number, hash: number): number => Math.imul(hash ^ value, 0x01000193);

/** The last steps of MurmurHash3, by Austin Appleby: each bit of the input changes half of the output's. */
function spread(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
