import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { abortSignal, aFunction } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { ReadOptions } from "./read-options.ts";

/** How far a write of a whole query has come. */
export interface BulkProgress {
  /** Rows read so far. */
  readonly read: number;
  /** Rows that were changed or removed. */
  readonly written: number;
  /**
   * Rows that needed no change, or that another program changed so that they are no longer of the query; and rows that are gone
   * while nobody can say whether this removal removed them.
   */
  readonly skipped: number;
}

/** How a query's entities are written. `signal` and `retry` go for reading and for saving. */
export interface BulkOptions extends ReadOptions {
  /** Called after each page. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** @throws OptionError `query.option` */
export const checkBulkOptions: CheckOptions = defineOptions<BulkOptions>(
  "updateAll(change, options)",
  {
    onProgress: aFunction,
    signal: abortSignal,
    retry: aRetryPolicy,
  },
  "query.option",
);

/** What to do with each entity: remove it, or change it and save what changed. */
export type BulkChange = "remove" | ((entity: object) => void | Promise<void>);

/** What a query needs of its context to write what it finds. */
export interface BulkSource {
  /** @param check - of a row that is read again: whether it is still of the query */
  run(
    pages: AsyncIterable<readonly CheckedRow[]>,
    check: (row: StoredEntity) => CheckedRow | undefined,
    change: BulkChange,
    options: BulkOptions,
  ): Promise<BulkProgress>;
}
