import type { MetadataTimes } from "../rows/file-metadata.ts";
import type { FileRow } from "../rows/rows.ts";
import type { FileInfo } from "./file-info.ts";

type Optional = "deletedAt" | "contentType" | "metadata" | "metadataTimes";

/** The attributes of a version, from its row. */
export const infoOf = (row: Omit<FileInfo, Optional> & Partial<Pick<FileRow, Optional>>): FileInfo => ({
  path: row.path,
  version: row.version,
  state: row.state,
  createdAt: row.createdAt,
  versionCreatedAt: row.versionCreatedAt,
  updatedAt: row.updatedAt,
  deletedAt: row.deletedAt,
  contentType: row.contentType,
  metadata: row.metadata ?? {},
  metadataTimes: datesOf(row.metadataTimes),
});

/** Times as stored, as dates. */
export const datesOf = (times: MetadataTimes = {}): FileInfo["metadataTimes"] =>
  Object.fromEntries(Object.entries(times).map(([name, time]) => [name, new Date(time)]));
