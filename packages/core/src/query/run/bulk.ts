import type { StoredEntity } from "../../edm/stored-entity.ts";

/** How far a write of a whole query has come. */
export interface BulkProgress {
  /** Rows read so far. */
  readonly read: number;
  /** Rows that were changed or deleted. */
  readonly written: number;
  /** Rows that needed no change, or that somebody else changed so that they are no longer of the query. */
  readonly skipped: number;
}

export interface BulkOptions {
  /** Called after each page. */
  readonly onProgress?: (progress: BulkProgress) => void;
  readonly signal?: AbortSignal;
}

/** What to do with each entity: delete it, or change it and save what changed. */
export type BulkChange = "delete" | ((entity: object) => void | Promise<void>);

/** What a query needs of its context to write what it finds. */
export interface BulkSource {
  run(
    pages: AsyncIterable<readonly StoredEntity[]>,
    matches: (row: StoredEntity) => boolean,
    change: BulkChange,
    options: BulkOptions,
  ): Promise<BulkProgress>;
}
