import {
  binary,
  bool,
  dateTime,
  defineEntity,
  guid,
  int32,
  int64,
  json,
  type PropertyType,
} from "@partita/core";
import type { DefinedEntity } from "@partita/core/models";
import { type DerivedFormat, escaped, padded } from "@partita/core/keys";
import { change, tableOfNames } from "./name-rows.ts";
import { rowId } from "./row-id.ts";

type Piece = PropertyType<Uint8Array, "optional">;
// Blocks are passed on without copying.
const piece = (n: number): Piece => binary({ inPlace: true }).named(`B${n}`).optional();

/** The version that blocks were copied from, and the id of its next block. */
export interface CopiedMark {
  readonly path: string;
  readonly version: number;
  readonly next: string;
}

/**
 * The rows of a version, as one class, because one request reads its state together with its blocks. Each has
 * the properties of its id.
 */
const properties = {
  change,

  // The state. Every append changes it under its ETag, so two programs never write the same block.
  /** No more blocks are written. */
  isClosed: bool().named("Closed").optional(),
  /** The blocks are being deleted, and are not read either. */
  isReclaimed: bool().named("Reclaimed").optional(),
  /** The largest id that a block ever had, plus one. */
  next: int64().named("Next").optional(),
  /** Of the last `appendFrom`. */
  copied: json<CopiedMark>().named("Copied").optional(),

  // The state and the row of deleted blocks. Deleted blocks have a row of their own, so programs that append and
  // programs that delete don't conflict.
  /** Ids that were ever written, or deleted blocks, and their bytes. */
  blocks: int64().named("Blocks").optional(),
  bytes: int64().named("Bytes").optional(),

  // A block, with its bytes in several properties.
  size: int32().named("Size").optional(),
  /** CRC-32 of all bytes. */
  crc: int64().named("Crc").optional(),
  /** The random id of the last lease, and its end. */
  lease: guid().named("Lease").optional(),
  leasedUntil: dateTime().named("LeasedUntil").optional(),
  b0: piece(0),
  b1: piece(1),
  b2: piece(2),
  b3: piece(3),
  b4: piece(4),
  b5: piece(5),
  b6: piece(6),
  b7: piece(7),
  b8: piece(8),
  b9: piece(9),
  b10: piece(10),
  b11: piece(11),
  b12: piece(12),
  b13: piece(13),
  b14: piece(14),
};

const ownShape = (name: string) => ({
  table: `${name}Blocks`,
  partitionKey: { path: escaped, version: padded(10) },
  rowKey: { id: rowId },
  properties,
});

const smallShape = (name: string, path: DerivedFormat<string>) => ({
  ...tableOfNames(name),
  kind: { name: "block", key: "prefix" } as const,
  partitionKey: { path },
  rowKey: { path: escaped, version: padded(10), id: rowId },
  properties,
});

/** The class of a version's rows. */
export type VersionRows = DefinedEntity<ReturnType<typeof ownShape>>;

/** A version with a partition of its own. */
export function declareOwnRows(name: string): VersionRows {
  class BlockRow extends defineEntity(ownShape(name)) {}
  return BlockRow;
}

/** A small version, with a key range in the partition of its name, so one transaction writes all of it. */
export function declareSmallRows(name: string, path: DerivedFormat<string>): VersionRows {
  class SmallBlockRow extends defineEntity(smallShape(name, path)) {}
  // The same properties under other keys.
  return SmallBlockRow as unknown as VersionRows;
}
