import type { FileMetadata } from "../rows/file-metadata.ts";

/** The attributes of one version of a file. */
export interface FileInfo {
  readonly path: string;
  /** 1 and more. A path never has the same number twice. */
  readonly version: number;
  /**
   * `current`: readers of the path see it. `deleted`: it can be read until it is reclaimed. `writing`: a
   * `write` has not finished.
   */
  readonly state: "writing" | "current" | "deleted";
  /** Creation of the first version of the path since it was last deleted. */
  readonly createdAt: Date;
  /** The time when this version became visible. */
  readonly versionCreatedAt: Date;
  /** The last change of its metadata. Appended blocks do not count. */
  readonly updatedAt: Date;
  readonly deletedAt: Date | undefined;
  readonly contentType: string | undefined;
  readonly metadata: FileMetadata;
  /** When each member of the metadata was set. */
  readonly metadataTimes: Readonly<Record<string, Date>>;
}
