import { crc32 } from "node:zlib";

/** The columns of a row that say what is stored. */
export type RowColumns = readonly [pk: string, rk: string, ts: number, body: string];

/** SQLite does not notice when a byte of a value changes on the disk: each row tells what it should read as. */
export const checksumOf = (pk: string, rk: string, ts: number, body: string): number =>
  crc32(`${pk}\0${rk}\0${ts}\0${body}`);

/** A row is not what was written. */
class DamagedRow extends Error {}

/** Whether an error tells of a row that is not what was written, is no JSON, or has a number that nobody wrote. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedRow || error instanceof SyntaxError || error instanceof RangeError;

/** @throws DamagedRow */
export function checkRow([pk, rk, ts, body]: RowColumns, checksum: number): void {
  if (checksumOf(pk, rk, ts, body) !== checksum) throw new DamagedRow();
}
