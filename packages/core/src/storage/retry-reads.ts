import { cancelled } from "../errors/storage-error.ts";
import { Attempts, type Retries } from "./attempts.ts";
import { forwardStorage } from "./forward-storage.ts";
import type { RequestOptions, TableStorage } from "./table-storage.ts";

/**
 * The same storage, whose reads are tried again as the policy says, or as a request itself says. Writes are left to
 * those who can judge them.
 *
 * @param mayBeStale - whether a copy may answer reads that do not say it themselves
 */
export function retryReads(
  storage: TableStorage,
  retries: Retries,
  mayBeStale: boolean = false,
): TableStorage {
  const retry = async <Result>(
    options: RequestOptions | undefined,
    read: (options: RequestOptions) => Promise<Result>,
  ): Promise<Result> => {
    const own = options?.retry === undefined ? retries : { ...retries, policy: options.retry };
    const attempts = new Attempts(own, options?.signal);
    for (;;) {
      try {
        const result = await read({ mayBeStale, ...options, attempt: attempts.number });
        attempts.succeeded();
        return result;
      } catch (error) {
        if (await attempts.next(error)) continue;
        const isStopped = own.policy.attempts > attempts.number && options?.signal?.aborted === true;
        throw isStopped ? cancelled(options.signal) : error;
      }
    }
  };
  return forwardStorage(storage, {
    query: (table, query, options) => retry(options, (o) => storage.query(table, query, o)),
    get: (table, key, options) => retry(options, (o) => storage.get(table, key, o)),
  });
}
