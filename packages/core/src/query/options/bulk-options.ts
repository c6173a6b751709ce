import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { abortSignal, aFunction } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { ReadOptions } from "./read-options.ts";

/** Progress of a write to all entities of a query. */
export interface BulkProgress {
  /** Rows read so far. */
  readonly read: number;
  /** Rows that were changed or deleted. */
  readonly written: number;
  /**
   * Rows that needed no change; rows that no longer match the query, since another program changed them; and rows that
   * no longer exist, if it is unknown whether this delete removed them.
   */
  readonly skipped: number;
}

/** Options for writing a query's entities. `signal` and `retry` apply to reads and saves. */
export interface BulkOptions extends ReadOptions {
  /**
   * Called after each page.
   *
   * ```ts
   * const blogs = context.query(Blog).where({ channel });
   * await blogs.removeAll({ onProgress: ({ read, written }) => console.log(read, written) });
   * ```
   */
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

/** The action for each entity: remove it, or change it and save the changes. */
export type BulkChange = "remove" | ((entity: object) => void | Promise<void>);

/** The methods of a context that a query needs to write its entities. */
export interface BulkSource {
  /** Whether hooks see the entities, and need all of their properties. */
  readonly hasHooks: boolean;
  /**
   * @param pages - of complete rows, or of rows without their properties if `isKeysOnly`
   * @param check - decides whether a row that was read again still matches the query
   */
  run(
    pages: AsyncIterable<readonly CheckedRow[]>,
    isKeysOnly: boolean,
    check: (row: StoredEntity) => CheckedRow | undefined,
    change: BulkChange,
    options: BulkOptions,
  ): Promise<BulkProgress>;
}
