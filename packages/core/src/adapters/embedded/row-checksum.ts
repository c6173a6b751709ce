import { crc32 } from "node:zlib";
import type { PackedBytes } from "../../edm/packed-bytes.ts";
import { joinedCrc32 } from "./joined-crc32.ts";

/**
 * The checksum of a row. SQLite does not notice when a byte of a value changes on the disk: so each row has a checksum of
 * what it should read as. The sum of the body begins with what the other columns come to: either part alone differs
 * whenever one of its bytes or characters does, and so does the whole.
 *
 * @param body - in UTF-8, or as the text that it is the UTF-8 of
 */
export const checksumOf = (
  pk: string,
  rk: string,
  ts: number,
  body: Uint8Array | string,
  ahead: number = 0,
): number => crc32(body, mixedKeys(pk, rk, ts, ahead) >>> 0);

/** The checksum of a row with packed bytes, of the CRC-32 of these: they are long, and are passed over once. */
export function checksumOfPacked(
  [pk, rk, ts, body, ahead]: readonly [pk: string, rk: string, ts: number, body: Uint8Array, ahead: number],
  { json, data }: PackedBytes,
  crcOfData: number,
): number {
  const behind = body.subarray(json.length + data.length);
  const crcOfJson = crc32(json, mixedKeys(pk, rk, ts, ahead) >>> 0);
  return crc32(behind, joinedCrc32(crcOfJson, crcOfData, data.length));
}

/** From this length on, native code is faster than a loop, its call included. */
const longText = 400;

/** The checksum of a row as it was up to format 4, where bodies were text. */
export function checksumOfText(pk: string, rk: string, ts: number, body: string, ahead: number = 0): number {
  if (body.length < longText) return mixed(body, mixedKeys(pk, rk, ts, ahead)) >>> 0;
  const text = `${pk}\0${rk}\0${ts}\0${body}`;
  return crc32(ahead === 0 ? text : `${text}\0${ahead}`);
}

/** 32 bits of the columns beside the body, which differ whenever one of them does. */
const mixedKeys = (pk: string, rk: string, ts: number, ahead: number): number =>
  mixed(rk, mixed(pk, halves(ts) ^ (ahead === 0 ? 0 : Math.imul(halves(ahead), 0x9e3779b1))));

/** 64 bits in 32, where a change of one is a change. */
const halves = (value: number): number => ((value % 2 ** 32) | 0) ^ Math.floor(value / 2 ** 32);

/** As FNV-1a, two UTF-16 units at a time: each step is reversible, so texts that differ in one unit never meet again. */
function mixed(text: string, start: number): number {
  let hash = start;
  const last = text.length - 1;
  for (let i = 0; i < last; i += 2)
    hash = Math.imul(hash ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)), 0x01000193);
  return last % 2 === 0 ? Math.imul(hash ^ text.charCodeAt(last), 0x01000193) : hash;
}
