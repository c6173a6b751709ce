import { crc32 } from "node:zlib";
import { joinedCrc32 } from "./joined-crc32.ts";
import { type Body, crcOf } from "./row-body.ts";

/**
 * The checksum of a row's contents: SQLite does not notice when a byte of a value changes on the disk. It starts with a
 * mix of the other columns and continues with the body. Any change of one byte or character changes the checksum.
 *
 * @param table - the {@link checksumOfTable} of its table, so a page of one table is never accepted as one of another
 */
export const checksumOf = (
  table: number,
  pk: string,
  rk: string,
  ts: number,
  body: Body,
  ahead: number = 0,
): number => crcOf(body, mixedColumns(table, pk, rk, ts, ahead) >>> 0);

/**
 * The checksum of a row after its version changed and its body did not. The checksum of a damaged row stays wrong. A
 * CRC is linear, so a difference before the body is shifted by the body's length.
 *
 * @param change - the columns other than the body, before and after
 * @param length - of the body, in bytes
 */
export const checksumAfter = (
  checksum: number,
  table: number,
  pk: string,
  rk: string,
  before: readonly [ts: number, ahead: number],
  after: readonly [ts: number, ahead: number],
  length: number,
): number => {
  const changed = mixedColumns(table, pk, rk, ...before) ^ mixedColumns(table, pk, rk, ...after);
  return joinedCrc32(changed, checksum, length);
};

/** The checksum of a table's number and name, exactly as it was created. */
export const checksumOfTable = (id: number, name: string): number => crc32(`${id} ${name}`);

/** A 32-bit mix of the columns except the body; a change of one of them always changes it. */
const mixedColumns = (table: number, pk: string, rk: string, ts: number, ahead: number): number =>
  mixed(rk, mixed(pk, table ^ halves(ts) ^ (ahead === 0 ? 0 : Math.imul(halves(ahead), 0x9e3779b1))));

/** Folds 64 bits into 32; a change of one bit changes the result. */
const halves = (value: number): number => ((value % 2 ** 32) | 0) ^ Math.floor(value / 2 ** 32);

/**
 * As FNV-1a, two UTF-16 units at a time: each step is reversible, so texts that differ in one unit never meet again.
 */
function mixed(text: string, start: number): number {
  let hash = start;
  const last = text.length - 1;
  for (let i = 0; i < last; i += 2)
    hash = Math.imul(hash ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)), 0x01000193);
  return last % 2 === 0 ? Math.imul(hash ^ text.charCodeAt(last), 0x01000193) : hash;
}
