import { cancelled } from "../errors/storage-error.ts";
import { forwardStorage } from "./forward-storage.ts";
import type { RequestOptions, TableStorage } from "./table-storage.ts";
import { type Retries, withRetry } from "./with-retry.ts";

/** The same storage, whose reads are tried again as {@link retriedReads} does it. */
export const retryReads = (storage: TableStorage, retries: Retries): TableStorage =>
  forwardStorage(storage, retriedReads(storage, retries));

/**
 * Reads of a storage that are tried again as the policy says, or as a request itself says. Writes are left to those who
 * can judge them.
 *
 * @param mayBeStale - whether a copy may answer reads that do not say it themselves
 */
export function retriedReads(
  storage: TableStorage,
  retries: Retries,
  mayBeStale: boolean = false,
): Pick<TableStorage, "query" | "get"> {
  const retry = async <Result>(
    options: RequestOptions | undefined,
    read: (options: RequestOptions) => Promise<Result>,
  ): Promise<Result> => {
    const own = options?.retry === undefined ? retries : { ...retries, policy: options.retry };
    const signal = options?.signal;
    let attempt = 0;
    try {
      return await withRetry(own, (number) => read({ mayBeStale, ...options, attempt: (attempt = number) }), {
        signal,
      });
    } catch (error) {
      throw signal?.aborted === true && attempt < own.policy.attempts ? cancelled(signal) : error;
    }
  };
  return {
    query: (table, query, options) => retry(options, (o) => storage.query(table, query, o)),
    get: (table, key, options) => retry(options, (o) => storage.get(table, key, o)),
  };
}
