import type { TableStorage } from "@partita/core";
import { countedStorage } from "./death.ts";

/** A storage, and the number of requests that were sent to it. */
export interface CountedRequests {
  readonly storage: TableStorage;
  /** The number of requests that a piece of work sends. */
  during(work: () => Promise<unknown>): Promise<number>;
}

/** Counts the requests to a storage: each page of a query, and each transaction as one. */
export function countRequests(inner: TableStorage): CountedRequests {
  let count = 0;
  const storage = countedStorage(inner, (request) => {
    count++;
    return request();
  });
  return {
    storage,
    async during(work) {
      const before = count;
      await work();
      return count - before;
    },
  };
}
