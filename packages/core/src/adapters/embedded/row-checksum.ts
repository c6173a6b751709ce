import { crc32 } from "node:zlib";

/** From this length on, native code is faster than a loop, its call included. */
const longBody = 400;

/**
 * The checksum of a row. SQLite does not notice when a byte of a value changes on the disk: so each row tells what it
 * should read as. Both kinds of sums differ whenever one character does.
 */
export function checksumOf(pk: string, rk: string, ts: number, body: string): number {
  if (body.length >= longBody) return crc32(`${pk}\0${rk}\0${ts}\0${body}`);
  const start = ((ts % 2 ** 32) | 0) ^ Math.floor(ts / 2 ** 32);
  return mixed(body, mixed(rk, mixed(pk, start))) >>> 0;
}

/** As FNV-1a, two UTF-16 units at a time: each step is reversible, so texts that differ in one unit never meet again. */
function mixed(text: string, start: number): number {
  let hash = start;
  const last = text.length - 1;
  for (let i = 0; i < last; i += 2)
    hash = Math.imul(hash ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)), 0x01000193);
  return last % 2 === 0 ? Math.imul(hash ^ text.charCodeAt(last), 0x01000193) : hash;
}

/** A row is not what was written. */
class DamagedRow extends Error {}

/** Whether an error tells of a row that is not what was written, is no JSON, or has a number that nobody wrote. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedRow || error instanceof SyntaxError || error instanceof RangeError;

/** @throws DamagedRow */
export function checkRow(pk: string, rk: string, ts: number, body: string, checksum: number): void {
  // A damaged column may be of another type.
  if (typeof pk !== "string" || typeof rk !== "string" || typeof body !== "string") throw new DamagedRow();
  if (checksumOf(pk, rk, ts, body) !== checksum) throw new DamagedRow();
}
