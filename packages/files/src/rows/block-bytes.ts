import { crc32 } from "node:zlib";
import { packedSumOf } from "@partita/core/internal";
import { damaged, type VersionName } from "../errors/file-errors.ts";
import { pieceBytes, piecesOfBlock } from "./block-limits.ts";
import type { BlockRow, OldRow } from "./rows.ts";
import type { VersionRows } from "./version-rows.ts";

type PieceName = `b${number}` & keyof BlockRow;
const names = Array.from({ length: piecesOfBlock }, (_, n) => `b${n}` as PieceName);

/** The row of a block. */
export function blockRow(
  VersionRow: VersionRows,
  { path, version }: VersionName,
  { id, bytes }: { readonly id: bigint; readonly bytes: Uint8Array },
  writtenAt: Date,
): BlockRow {
  const row = new VersionRow({ path, version, id, writtenAt }) as BlockRow;
  setBytes(row, bytes);
  return row;
}

/** Replaces the bytes of a block's row. */
export function setBytes(row: BlockRow, bytes: Uint8Array): void {
  row.size = bytes.byteLength;
  row.crc = BigInt(crc32(bytes));
  let from = 0;
  for (const name of names) {
    if (from < bytes.byteLength) row[name] = bytes.subarray(from, from + pieceBytes);
    else if (row[name] !== undefined) row[name] = undefined;
    from += pieceBytes;
  }
}

/** The same block in a row of another class. */
export function copyBytes(to: OldRow, { size, crc, writtenAt, ...from }: BlockRow): OldRow {
  Object.assign(to, { size, crc, ...(writtenAt !== undefined && { writtenAt }) });
  for (const name of names) if (from[name] !== undefined) to[name] = from[name];
  return to;
}

/**
 * The bytes of a block, in their own memory.
 *
 * @throws FileError `file.damaged` if they differ from those that were written
 */
export function bytesOf(row: BlockRow | OldRow): Uint8Array {
  const parts = partsOf(row);
  const [first] = parts;
  const isAlone = parts.length === 1 && first?.byteLength === first?.buffer.byteLength;
  return isAlone ? (first as Uint8Array) : joinedBytes(parts);
}

/** Joins bytes in their own memory, because short Buffers would share a pool. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}

/**
 * The same in as few parts as they have in memory, at least one. A part is alone in its memory, but may not
 * fill it.
 *
 * @throws FileError `file.damaged`
 */
export function partsOf(row: BlockRow | OldRow): readonly Uint8Array[] {
  const parts = joined(names.flatMap((name) => row[name] ?? []));
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  if (length !== row.size) throw damaged(row, row.id, `it has ${length} bytes of ${row.size}`);
  if (BigInt(crcOf(parts)) !== row.crc) throw damaged(row, row.id, "its CRC-32 does not match");
  const memories = new Set(parts.map(({ buffer }) => buffer));
  return memories.size === parts.length ? parts : [joinedBytes(parts)];
}

/** Merges pieces that are adjacent in memory. */
function joined(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const [first = new Uint8Array(), ...others] = pieces;
  const parts = [first];
  for (const piece of others) {
    const { buffer, byteOffset, byteLength } = parts.at(-1) as Uint8Array;
    if (piece.buffer === buffer && piece.byteOffset === byteOffset + byteLength)
      parts[parts.length - 1] = new Uint8Array(buffer, byteOffset, byteLength + piece.byteLength);
    else parts.push(piece);
  }
  return parts;
}

/** The CRC-32 of all parts. For the first part, the one that storage has already verified. */
function crcOf([first = new Uint8Array(), ...others]: readonly Uint8Array[]): number {
  const known = packedSumOf(first);
  const crc = known?.length === first.byteLength ? known.crc32 : crc32(first);
  return others.reduce((sum, part) => crc32(part, sum), crc);
}
