import { base64Of } from "./base64.ts";
import { annotationOf, type StoredEntityDraft } from "./stored-entity.ts";

/*
 * A row may have its long Binary values behind its JSON instead of in it, where they are a third shorter, and nothing has to be
 * converted. In the JSON stands where they are: `"Image@odata.type":"Edm.Binary","Image":"*0,65536"` are the first 65,536 bytes
 * behind it. No base64 begins so.
 */

/** Bytes of a value from which on it is packed: converting shorter ones costs less than to look behind the JSON. */
export const packedLength = 4096;

/** What stands for packed bytes begins with it. */
const packedMark = "*";

/** A row's JSON, and the bytes that are packed behind it. */
export interface PackedBytes {
  readonly json: Uint8Array;
  readonly data: Uint8Array;
}

/** The text that stands for packed bytes. */
export const packedText = (from: number, length: number): string => `${packedMark}${from},${length}`;

const form = /^\*(\d{1,9}),(\d{1,9})$/;

/** Bytes that a text stands for, and four for their length; undefined where it stands for none. */
export function sizeOfPacked(text: string): number | undefined {
  if (!text.startsWith(packedMark)) return undefined;
  const length = form.exec(text)?.[2];
  return length === undefined ? undefined : Number(length) + 4;
}

/** The bytes that a text stands for; undefined where it stands for none. */
export function packedValue(text: string, data: Uint8Array): Uint8Array | undefined {
  const [, from, length] = form.exec(text) ?? [];
  const [start, end] = [Number(from), Number(from) + Number(length)];
  return length === undefined || end > data.length ? undefined : data.subarray(start, end);
}

/**
 * Puts base64 in the place of the texts that stand for packed bytes.
 *
 * @throws SyntaxError for one that stands for none
 */
export function unpackProperties(properties: StoredEntityDraft, data: Uint8Array): void {
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (typeof value !== "string" || !value.startsWith(packedMark)) continue;
    if (properties[annotationOf(name)] !== "Edm.Binary") continue;
    const bytes = packedValue(value, data);
    if (bytes === undefined) throw new SyntaxError("A packed value is not there.");
    properties[name] = base64Of(bytes);
  }
}

/** A stretch of packed bytes, and its CRC-32. */
export interface PackedSum {
  /** How many bytes. */
  readonly length: number;
  readonly crc32: number;
}

const sums = new WeakMap<ArrayBufferLike, PackedSum & { readonly from: number }>();

/** Remembers what a store has computed, since it checks the rows that it reads. */
export const rememberSum = (data: Uint8Array, crc32: number): void => {
  sums.set(data.buffer, { from: data.byteOffset, length: data.byteLength, crc32 });
};

/**
 * The CRC-32 of the packed bytes of a row, of which these are the first: as the store computed it when it checked the row, so
 * that who has a checksum of his own need not pass over them again. Undefined where the store did not.
 *
 * @param first - as it was read, in the memory of its row: see `binary({ inPlace: true })`
 */
export function packedSumOf(first: Uint8Array): PackedSum | undefined {
  const sum = sums.get(first.buffer);
  return sum?.from === first.byteOffset ? { length: sum.length, crc32: sum.crc32 } : undefined;
}
