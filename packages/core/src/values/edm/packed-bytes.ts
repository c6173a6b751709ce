import { base64Of } from "./base64.ts";
import { annotationOf, type StoredEntityDraft } from "./stored-entity.ts";

/*
 * A row may have its long Binary values after its JSON instead of in it. They are a third shorter there and need no
 * conversion. The JSON holds their position: `"Image@odata.type":"Edm.Binary","Image":"*0,65536"` refers to the first
 * 65,536 bytes after it. Base64 never starts with `*`.
 */

/** Values are packed from this many bytes on: for shorter ones, converting costs less than looking after the JSON. */
export const packedLength = 4096;

/** The prefix of the text that refers to packed bytes. */
const packedMark = "*";

/** A row's JSON, and the bytes that are packed after it. */
export interface PackedBytes {
  readonly json: Uint8Array;
  readonly data: Uint8Array;
}

/** The text that refers to packed bytes. */
export const packedText = (from: number, length: number): string => `${packedMark}${from},${length}`;

const form = /^\*(\d{1,9}),(\d{1,9})$/;

/** The number of packed bytes that a text refers to, plus four for the length; undefined if it refers to none. */
export function sizeOfPacked(text: string): number | undefined {
  if (!text.startsWith(packedMark)) return undefined;
  const length = form.exec(text)?.[2];
  return length === undefined ? undefined : Number(length) + 4;
}

/** The bytes that a text refers to; undefined if it refers to none. */
export function packedValue(text: string, data: Uint8Array): Uint8Array | undefined {
  const [, from, length] = form.exec(text) ?? [];
  const [start, end] = [Number(from), Number(from) + Number(length)];
  return length === undefined || end > data.length ? undefined : data.subarray(start, end);
}

/**
 * Replaces the texts that refer to packed bytes with base64.
 *
 * @throws SyntaxError for a text that refers to no bytes
 */
export function unpackProperties(properties: StoredEntityDraft, data: Uint8Array): void {
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (typeof value !== "string" || !value.startsWith(packedMark)) continue;
    if (properties[annotationOf(name)] !== "Edm.Binary") continue;
    const bytes = packedValue(value, data);
    if (bytes === undefined) throw new SyntaxError("A packed value is missing.");
    properties[name] = base64Of(bytes);
  }
}

/** A range of packed bytes, and its CRC-32. */
export interface PackedSum {
  /** The number of bytes. */
  readonly length: number;
  readonly crc32: number;
}

const sums = new WeakMap<ArrayBufferLike, PackedSum & { readonly from: number }>();

/** Remembers the checksum that a store computed when it checked a row. */
export const rememberSum = (data: Uint8Array, crc32: number): void => {
  sums.set(data.buffer, { from: data.byteOffset, length: data.byteLength, crc32 });
};

/**
 * The CRC-32 of a row's packed bytes, as the store computed it when it checked the row: a caller with a checksum of its
 * own doesn't need to read them again. Undefined if the store did not compute it.
 *
 * @param first - the first of the bytes, as it was read, in the memory of its row: see `binary({ inPlace: true })`
 */
export function packedSumOf(first: Uint8Array): PackedSum | undefined {
  const sum = sums.get(first.buffer);
  return sum?.from === first.byteOffset ? { length: sum.length, crc32: sum.crc32 } : undefined;
}
