import {
  binary,
  dateTime,
  defineEntity,
  enumOf,
  guid,
  int32,
  int64,
  json,
  type PropertyType,
  text,
} from "@partita/core";
import type { DefinedEntity } from "@partita/core/models";
import { bucket, constant, descending, escaped, type KeyFormat, padded, padded64 } from "@partita/core/keys";
import type { FileMetadata } from "./file-metadata.ts";

/** The newest version of a path sorts first. */
export const versionFormat: KeyFormat<number> = descending(padded(10));

type Piece = PropertyType<Uint8Array, "optional">;
// Blocks are passed on without copying.
const piece = (n: number): Piece => binary({ inPlace: true }).named(`B${n}`).optional();

const tableOfFiles = (name: string) => ({ table: `${name}Files` }) as const;

/**
 * A random id of the row's last change. After a lost response, only this id shows that the row is ours, and
 * not an equal row of another program.
 */
const change = guid().named("Change").optional();

const tableOfBlocks = (name: string) =>
  ({
    table: `${name}Blocks`,
    partitionKey: { path: escaped, version: padded(10) },
  }) as const;

/** The layout of the paths. Every program that opens the file system must use the same. */
const layoutShape = (name: string) => ({
  ...tableOfFiles(name),
  kind: "layout",
  partitionKey: { layout: constant("!") },
  rowKey: { row: constant("!") },
  properties: { zones: json<readonly string[]>().named("Zones"), buckets: int32().named("Buckets") },
});

/** One version of a path. The files of one zone are in one partition, or spread over several by path. */
const fileShape = (name: string, buckets: number) => ({
  ...tableOfFiles(name),
  kind: "file",
  partitionKey: keyOfZone(buckets),
  rowKey: { path: escaped, version: versionFormat },
  properties: {
    state: enumOf(["writing", "current", "deleted", "reclaimed"]).named("State"),
    /** Of the first version of the path. */
    createdAt: dateTime().named("CreatedAt"),
    versionCreatedAt: dateTime().named("VersionCreatedAt"),
    updatedAt: dateTime().named("UpdatedAt"),
    deletedAt: dateTime().named("DeletedAt").optional(),
    change,
    contentType: text().named("ContentType").optional(),
    metadata: json<FileMetadata>().named("Metadata").optional(),
  },
});

function keyOfZone(buckets: number): { zone: typeof escaped } {
  const zone = { zone: escaped };
  // The bucket is computed from the path, so it needs no value.
  return buckets === 1 ? zone : ({ ...zone, path: bucket(buckets) } as typeof zone);
}

/**
 * The state of a version's blocks. Every append changes it under its ETag, so two programs never write the
 * same block.
 */
const stateShape = (name: string) => ({
  ...tableOfBlocks(name),
  kind: "state",
  rowKey: { row: constant("!") },
  properties: {
    state: enumOf(["open", "closed", "reclaiming"]).named("State"),
    /** The largest id that a block ever had, plus one. */
    next: int64().named("Next"),
    change,
  },
});

/** One block, with its bytes in several properties. */
const blockShape = (name: string) => ({
  ...tableOfBlocks(name),
  kind: "block",
  rowKey: { id: padded64(19) },
  properties: {
    change,
    size: int32().named("Size"),
    /** CRC-32 of all bytes. */
    crc: int64().named("Crc"),
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
  },
});

/**
 * The classes of a file system's rows. It has two tables: `<name>Files` has a row for each version of each
 * path, and `<name>Blocks` has a partition for each version, with its state first and then its blocks.
 */
export interface Rows {
  readonly LayoutRow: DefinedEntity<ReturnType<typeof layoutShape>>;
  readonly FileRow: DefinedEntity<ReturnType<typeof fileShape>>;
  readonly StateRow: DefinedEntity<ReturnType<typeof stateShape>>;
  readonly BlockRow: DefinedEntity<ReturnType<typeof blockShape>>;
}

function declareRows(name: string, buckets: number): Rows {
  // Named classes, because errors contain the names.
  class LayoutRow extends defineEntity(layoutShape(name)) {}
  class FileRow extends defineEntity(fileShape(name, buckets)) {}
  class StateRow extends defineEntity(stateShape(name)) {}
  class BlockRow extends defineEntity(blockShape(name)) {}
  return { LayoutRow, FileRow, StateRow, BlockRow };
}

export type FileRow = InstanceType<Rows["FileRow"]>;
export type StateRow = InstanceType<Rows["StateRow"]>;
export type BlockRow = InstanceType<Rows["BlockRow"]>;

const declared = new Map<string, Rows>();

/**
 * The classes of a file system's rows. Each call returns the same ones, because each class is compiled once.
 */
export function rowsOf(name: string, buckets: number): Rows {
  const key = `${name} ${buckets}`;
  const rows = declared.get(key) ?? declareRows(name, buckets);
  declared.set(key, rows);
  return rows;
}
