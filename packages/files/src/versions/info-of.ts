import type { FileRow } from "../rows/file-rows.ts";
import type { FileInfo } from "./file-info.ts";

/** The attributes of a version, from its row. */
export const infoOf = (row: FileRow): FileInfo => ({
  path: row.path,
  version: row.version,
  state: row.state,
  createdAt: row.createdAt,
  versionCreatedAt: row.versionCreatedAt,
  updatedAt: row.updatedAt,
  deletedAt: row.deletedAt,
  contentType: row.contentType,
  metadata: row.metadata ?? {},
});
