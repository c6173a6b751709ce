import { crc32 } from "node:zlib";
import { damaged, type VersionPlace } from "../errors/file-errors.ts";
import { pieceBytes, piecesOfBlock } from "./block-limits.ts";
import type { BlockRow, Rows } from "./file-rows.ts";

type PieceName = `b${number}` & keyof BlockRow;
const names = Array.from({ length: piecesOfBlock }, (_, n) => `b${n}` as PieceName);

/** The row of a block. */
export function blockRow({ BlockRow }: Rows, place: VersionPlace, id: bigint, bytes: Uint8Array): BlockRow {
  const row = new BlockRow({ path: place.path, version: place.version, id, size: 0, crc: 0n });
  setBytes(row, bytes);
  return row;
}

/** Puts bytes into a block's row in place of those that it has. */
export function setBytes(row: BlockRow, bytes: Uint8Array): void {
  row.size = bytes.byteLength;
  row.crc = BigInt(crc32(bytes));
  for (const [n, name] of names.entries()) {
    const from = n * pieceBytes;
    row[name] = from < bytes.byteLength ? bytes.subarray(from, from + pieceBytes) : undefined;
  }
}

/** The bytes of a block. @throws FileError `file.damaged` where they are not those that were written */
export function bytesOf(row: BlockRow): Uint8Array {
  const pieces = piecesOf(row);
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

/** The same, in the pieces that the row has: one at least. @throws FileError `file.damaged` */
export function piecesOf(row: BlockRow): readonly Uint8Array[] {
  const pieces = names.flatMap((name) => row[name] ?? []);
  if (pieces.length === 0) pieces.push(new Uint8Array());
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  if (length !== row.size) throw damaged(row, row.id, `it has ${length} bytes of ${row.size}`);
  const crc = pieces.reduce((sum, piece) => crc32(piece, sum), 0);
  if (BigInt(crc) !== row.crc) throw damaged(row, row.id, "its CRC-32 is another one");
  return pieces;
}
