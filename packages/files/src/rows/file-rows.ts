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
// Blocks are passed on as they were read.
const piece = (n: number): Piece => binary({ inPlace: true }).named(`B${n}`).optional();

const tableOfFiles = (name: string) => ({ table: `${name}Files` }) as const;

/** A random id of the row's last change: after a lost response, only it shows that the row is ours and not of somebody who wrote the same. */
const change = guid().named("Change").optional();

const tableOfBlocks = (name: string) =>
  ({
    table: `${name}Blocks`,
    partitionKey: { path: escaped, version: padded(10) },
  }) as const;

/** How paths are laid out: what every program that opens the file system has to agree about. */
const layoutShape = (name: string) => ({
  ...tableOfFiles(name),
  kind: "layout",
  partitionKey: { layout: constant("!") },
  rowKey: { row: constant("!") },
  properties: { zones: json<readonly string[]>().named("Zones"), buckets: int32().named("Buckets") },
});

/** One version of a path. Files of one zone are in one partition, or in several by their paths. */
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
  // A bucket is made of the path alone, so that nobody names it.
  return buckets === 1 ? zone : ({ ...zone, path: bucket(buckets) } as typeof zone);
}

/** The state of a version's blocks. Whoever appends changes it under its ETag, so that two never write the same block. */
const stateShape = (name: string) => ({
  ...tableOfBlocks(name),
  kind: "state",
  rowKey: { row: constant("!") },
  properties: {
    state: enumOf(["open", "closed", "reclaiming"]).named("State"),
    /** One more than the largest id that a block ever had. */
    next: int64().named("Next"),
    change,
  },
});

/** One block: its bytes in as many properties as they take. */
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
 * The classes of a file system's rows. Its two tables are `<name>Files`, which has a row for each version of each path, and
 * `<name>Blocks`, where each version has a partition: its state first, and its blocks behind it.
 */
export interface Rows {
  readonly LayoutRow: DefinedEntity<ReturnType<typeof layoutShape>>;
  readonly FileRow: DefinedEntity<ReturnType<typeof fileShape>>;
  readonly StateRow: DefinedEntity<ReturnType<typeof stateShape>>;
  readonly BlockRow: DefinedEntity<ReturnType<typeof blockShape>>;
}

function declareRows(name: string, buckets: number): Rows {
  // Named, since errors name the classes.
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

/** The classes of a file system's rows: the same ones each time, since each class is compiled once. */
export function rowsOf(name: string, buckets: number): Rows {
  const key = `${name} ${buckets}`;
  const rows = declared.get(key) ?? declareRows(name, buckets);
  declared.set(key, rows);
  return rows;
}
