import { cancelled } from "../errors/storage-error.ts";
import { forwardStorage } from "./forward-storage.ts";
import type { RequestOptions, TableStorage } from "./table-storage.ts";
import { type Retries, withRetry } from "./with-retry.ts";

/** The same storage, whose reads are tried again. Writes are left to those who can judge them. */
export const retryReads = (storage: TableStorage, retries: Retries): TableStorage =>
  forwardStorage(storage, {
    query: (table, query, options) => retryRead(retries, options, (own) => storage.query(table, query, own)),
    get: (table, key, options) => retryRead(retries, options, (own) => storage.get(table, key, own)),
  });

/**
 * Reads, and tries again as the policy says, or as the request itself says.
 *
 * @param read - is given the options with the number of the try
 */
export async function retryRead<Result>(
  retries: Retries,
  options: RequestOptions = {},
  read: (options: RequestOptions) => Promise<Result>,
): Promise<Result> {
  const { retry, signal } = options;
  const own = retry === undefined ? retries : { ...retries, policy: retry };
  let attempt = 0;
  try {
    return await withRetry(own, (number) => read({ ...options, attempt: (attempt = number) }), { signal });
  } catch (error) {
    throw signal?.aborted === true && attempt < own.policy.attempts ? cancelled(signal) : error;
  }
}
