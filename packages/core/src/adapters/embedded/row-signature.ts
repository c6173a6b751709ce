/* oxlint-disable no-bitwise -- a set of bits */
import { canonicalDateTime } from "../../edm/date-time-text.ts";
import { parseDouble } from "../../edm/double.ts";
import {
  annotationOf,
  type EdmType,
  edmTypeOf,
  isSystemName,
  type StoredValue,
} from "../../edm/stored-entity.ts";
import type { UserProperties } from "../../storage/check-entity.ts";

/**
 * A Bloom filter of a row's values, in two columns beside its keys in an index. Each value sets three bits, so a row
 * where one of them is not set has not got that value, and need not be read. A column holds the bits that are not set:
 * zero, as in rows written before there were signatures, may be any row.
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

/** The signature of a row with these properties. */
export function signatureOf(properties: UserProperties): RowSignature {
  const found = [0, 0, 0, 0];
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (isSystemName(name) || value === undefined) continue;
    const hash = hashOf(name, edmTypeOf(value, properties[annotationOf(name)]), value);
    const half = 2 * columnOf(hash);
    for (let shift = 0; shift < 30; shift += 10) {
      const bit = bitOf(hash, shift);
      const at = bit < halfCount ? half : half + 1;
      found[at] = (found[at] as number) | (1 << (bit % halfCount));
    }
  }
  const [low0 = 0, high0 = 0, low1 = 0, high1 = 0] = found;
  return [columnValue(low0, high0), columnValue(low1, high1)];
}

/** The bits that every row has whose property of this name equals this value, as filters compare them. */
export function bitsOf(name: string, edm: EdmType, value: StoredValue): ValueBits {
  const hash = hashOf(name, edm, value);
  let bits = 0n;
  for (let shift = 0; shift < 30; shift += 10) bits |= 1n << BigInt(bitOf(hash, shift));
  return { column: columnOf(hash), bits: bits * BigInt(checkRoom) };
}

const columnOf = (hash: number): 0 | 1 => (hash < 0 ? 1 : 0);
const bitOf = (hash: number, shift: number): number => (((hash >>> shift) & 1023) * bitCount) >> 10;

function columnValue(low: number, high: number): number {
  const unset = ((allOfHalf ^ high) * 2 ** halfCount + (allOfHalf ^ low)) * checkRoom;
  return unset + ((signatureFactor - (unset % signatureFactor)) % signatureFactor);
}

/** The same for all values that a filter takes for equal, whatever their types and however they are written. */
function hashOf(name: string, edm: EdmType, value: StoredValue): number {
  const start = mixedText(name, 0);
  switch (edm) {
    case "Edm.Int32":
    case "Edm.Int64":
    case "Edm.Double":
      // Equal whole numbers are equal Doubles, though not the other way round.
      return spread(mixedNumber((edm === "Edm.Double" ? parseDouble(value) : Number(value)) ?? 0, start));
    case "Edm.String":
    case "Edm.Boolean":
      return spread(mixedText(String(value), start));
    case "Edm.DateTime":
      return spread(mixedText(canonicalDateTime(String(value)) ?? "", start));
    case "Edm.Guid":
      return spread(mixedText(String(value).toLowerCase(), start));
    case "Edm.Binary":
      return spread(mixedText(canonicalBase64(String(value)), start));
    default:
      return edm satisfies never;
  }
}

/** Unused bits of the last group may be set. */
const canonicalBase64 = (text: string): string =>
  text.endsWith("=") ? text.slice(0, -4) + Buffer.from(text.slice(-4), "base64").toString("base64") : text;

const scratch = new Float64Array(1);
const scratchHalves = new Int32Array(scratch.buffer);

function mixedNumber(value: number, start: number): number {
  // Zero has two signs.
  scratch[0] = value + 0;
  return mixed(scratchHalves[1] as number, mixed(scratchHalves[0] as number, start));
}

/** Units of a long text that count, at its beginning and at its end. */
const countedUnits = 32;

/** Of long texts the beginning, the end and the length: others differ in these as a rule, and need not. */
function mixedText(text: string, start: number): number {
  const { length } = text;
  let hash = mixed(length, start);
  const head = Math.min(length, countedUnits);
  for (let i = 0; i < head; i++) hash = mixed(text.charCodeAt(i), hash);
  for (let i = Math.max(head, length - countedUnits); i < length; i++) hash = mixed(text.charCodeAt(i), hash);
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
