import { forwardStorage } from "./forward-storage.ts";
import type { RequestOptions, TableStorage } from "./table-storage.ts";
import { isTransient, type RetryPolicy, waitToRetry } from "./retry-policy.ts";

/** The same storage, whose reads are tried again as the policy says. Writes are left to those who can judge them. */
export function retryReads(storage: TableStorage, policy: RetryPolicy): TableStorage {
  if (policy.attempts === 1) return storage;
  const retry = async <Result>(
    options: RequestOptions | undefined,
    read: (options: RequestOptions) => Promise<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read({ ...options, attempt });
      } catch (error) {
        if (attempt >= policy.attempts || !isTransient(error)) throw error;
        await waitToRetry(policy, error, options?.signal);
      }
    }
  };
  return forwardStorage(storage, {
    query: (table, query, options) => retry(options, (o) => storage.query(table, query, o)),
    get: (table, key, options) => retry(options, (o) => storage.get(table, key, o)),
  });
}
