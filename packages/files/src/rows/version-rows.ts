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
import { type DerivedFormat, escaped, padded, padded64 } from "@partita/core/keys";
import { change, tableOfNames } from "./name-rows.ts";
import { rowId } from "./row-id.ts";

type Piece = PropertyType<Uint8Array, "optional">;
// Blocks are passed on without copying.
const piece = (n: number): Piece => binary({ inPlace: true }).named(`B${n}`).optional();

/** A block, with its bytes in several properties. */
const block = {
  size: int32().named("Size").optional(),
  /** CRC-32 of all bytes. */
  crc: int64().named("Crc").optional(),
  writtenAt: dateTime().named("WrittenAt").optional(),
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

  ...block,
  /** The random id of the last lease, and its end. */
  lease: guid().named("Lease").optional(),
  leasedUntil: dateTime().named("LeasedUntil").optional(),
};

// As prefixes of keys, kinds need no filter.
const blockKind = { name: "block", key: "prefix" } as const;
const oldKind = { name: "old", key: "prefix" } as const;

const ownShape = (name: string) => ({
  table: `${name}Blocks`,
  kind: blockKind,
  partitionKey: { path: escaped, version: padded(10) },
  rowKey: { id: rowId },
  properties,
});

const smallShape = (name: string, path: DerivedFormat<string>) => ({
  ...tableOfNames(name),
  kind: blockKind,
  partitionKey: { path },
  rowKey: { path: escaped, version: padded(10), id: rowId },
  properties,
});

/** A replaced or deleted block, by the time when it was. These rows follow those of the blocks. */
const oldOwnShape = (name: string) => ({
  table: `${name}Blocks`,
  kind: oldKind,
  partitionKey: { path: escaped, version: padded(10) },
  rowKey: { id: padded64(19), replacedAtMs: padded(13) },
  properties: { ...block, change },
});

const oldSmallShape = (name: string, path: DerivedFormat<string>) => ({
  ...tableOfNames(name),
  kind: oldKind,
  partitionKey: { path },
  rowKey: { path: escaped, version: padded(10), id: padded64(19), replacedAtMs: padded(13) },
  properties: { ...block, change },
});

/** The class of a version's replaced blocks. */
export type OldRows = DefinedEntity<ReturnType<typeof oldOwnShape>>;

/** The class of a version's rows. */
export type VersionRows = DefinedEntity<ReturnType<typeof ownShape>>;

/** A version with a partition of its own. */
export function declareOwnRows(name: string): { own: VersionRows; oldOwn: OldRows } {
  class BlockRow extends defineEntity(ownShape(name)) {}
  class OldBlockRow extends defineEntity(oldOwnShape(name)) {}
  return { own: BlockRow, oldOwn: OldBlockRow };
}

/** A small version, with a key range in the partition of its name, so one transaction writes all of it. */
export function declareSmallRows(
  name: string,
  path: DerivedFormat<string>,
): { small: VersionRows; oldSmall: OldRows } {
  class SmallBlockRow extends defineEntity(smallShape(name, path)) {}
  class OldSmallBlockRow extends defineEntity(oldSmallShape(name, path)) {}
  // The same properties under other keys.
  return {
    small: SmallBlockRow as unknown as VersionRows,
    oldSmall: OldSmallBlockRow as unknown as OldRows,
  };
}
