import type { FileMetadata } from "../rows/file-metadata.ts";

/** What is known of one version of a file beside its content. */
export interface FileInfo {
  readonly path: string;
  /** 1 and more; a path never has the same number twice. */
  readonly version: number;
  /**
   * `current`: what a path stands for. `deleted`: it can be read until it is reclaimed. `writing`: a `write` has not ended yet.
   * `reclaimed`: only its number is left.
   */
  readonly state: "writing" | "current" | "deleted" | "reclaimed";
  /** When the path's first version was created, since it was deleted last. */
  readonly createdAt: Date;
  /** When this version became visible. */
  readonly versionCreatedAt: Date;
  /** When its metadata changed last; appended blocks do not count. */
  readonly updatedAt: Date;
  readonly deletedAt: Date | undefined;
  readonly contentType: string | undefined;
  readonly metadata: FileMetadata;
}
