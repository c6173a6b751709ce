import { bool, dateTime, defineEntity, enumOf, guid, int32, json, text } from "@partita/core";
import type { DefinedEntity } from "@partita/core/models";
import {
  constant,
  type DerivedFormat,
  descending,
  escaped,
  type KeyFormat,
  padded,
} from "@partita/core/keys";
import type { FileMetadata, MetadataTimes } from "./file-metadata.ts";

// The table `<name>Files`: a head for each path, and a row for each of its versions.

/** The newest version of a path sorts first. */
export const versionFormat: KeyFormat<number> = descending(padded(10));

export const tableOfNames = (name: string) => ({ table: `${name}Files` }) as const;

/**
 * A random id of the row's last change. After a lost response, only this id shows that the row is ours, and
 * not an equal row of another program.
 */
export const change = guid().named("Change").optional();

/** The layout of the paths. Every program that opens the file system must use the same. */
const layoutShape = (name: string) => ({
  ...tableOfNames(name),
  kind: "layout",
  partitionKey: { layout: constant("!") },
  rowKey: { row: constant("!") },
  properties: {
    zones: json<readonly string[]>().named("Zones"),
    buckets: int32().named("Buckets"),
    /** The zones that keep replaced blocks and metadata. */
    history: json<readonly string[]>().named("History"),
    /** Its tables are being deleted. */
    isDestroyed: bool().named("Destroyed").optional(),
  },
});

/** Whether a version's blocks are in the partition of its name. */
const isSmall = bool().named("Small");

/** The attributes of a version that its row and the head of its path have. */
const attributes = {
  contentType: text().named("ContentType").optional(),
  metadata: json<FileMetadata>().named("Metadata").optional(),
  metadataTimes: json<MetadataTimes>().named("MetadataTimes").optional(),
  change,
};

/**
 * The head of a path. Every change of the current version's row changes it in the same transaction, under its
 * ETag. It stays when the file is deleted, because no number of a version may be used twice.
 */
const headShape = (name: string, path: DerivedFormat<string>) => ({
  ...tableOfNames(name),
  kind: { name: "head", key: "prefix" } as const,
  partitionKey: { path },
  rowKey: { path: escaped },
  properties: {
    /** The largest number that a version of the path ever had. */
    newest: int32().named("Newest"),
    /** The number of the current version, with its attributes. Absent if the file is deleted. */
    version: int32().named("Version").optional(),
    createdAt: dateTime().named("CreatedAt").optional(),
    versionCreatedAt: dateTime().named("VersionCreatedAt").optional(),
    updatedAt: dateTime().named("UpdatedAt").optional(),
    isSmall: isSmall.optional(),
    ...attributes,
  },
});

/** One version of a path. */
const fileShape = (name: string, path: DerivedFormat<string>) => ({
  ...tableOfNames(name),
  kind: { name: "version", key: "prefix" } as const,
  partitionKey: { path },
  rowKey: { path: escaped, version: versionFormat },
  properties: {
    state: enumOf(["writing", "current", "deleted"]).named("State"),
    /** Of the first version of the path. */
    createdAt: dateTime().named("CreatedAt"),
    versionCreatedAt: dateTime().named("VersionCreatedAt"),
    updatedAt: dateTime().named("UpdatedAt"),
    deletedAt: dateTime().named("DeletedAt").optional(),
    isSmall,
    ...attributes,
  },
});

/** Metadata of a version that was replaced, by the time when it was. */
const oldMetadataShape = (name: string, path: DerivedFormat<string>) => ({
  ...tableOfNames(name),
  kind: { name: "metadata", key: "prefix" } as const,
  partitionKey: { path },
  rowKey: { path: escaped, version: padded(10), replacedAtMs: padded(13) },
  properties: {
    metadata: json<FileMetadata>().named("Metadata").optional(),
    metadataTimes: json<MetadataTimes>().named("MetadataTimes").optional(),
    updatedAt: dateTime().named("UpdatedAt"),
    change,
  },
});

/** The classes of the rows of names. */
export interface NameRows {
  readonly LayoutRow: DefinedEntity<ReturnType<typeof layoutShape>>;
  readonly HeadRow: DefinedEntity<ReturnType<typeof headShape>>;
  readonly FileRow: DefinedEntity<ReturnType<typeof fileShape>>;
  readonly OldMetadataRow: DefinedEntity<ReturnType<typeof oldMetadataShape>>;
}

export function declareNameRows(name: string, path: DerivedFormat<string>): NameRows {
  // Named classes, because errors contain the names.
  class LayoutRow extends defineEntity(layoutShape(name)) {}
  class HeadRow extends defineEntity(headShape(name, path)) {}
  class FileRow extends defineEntity(fileShape(name, path)) {}
  class OldMetadataRow extends defineEntity(oldMetadataShape(name, path)) {}
  return { LayoutRow, HeadRow, FileRow, OldMetadataRow };
}
