import type { TableStorage } from "@partita/core";
import type { ContinuationToken } from "@partita/core/storage";
import type { StudioCore } from "../core.ts";

const prefix = "row:";

/** How long a page may search for its rows. A page that ends early has no or fewer rows, and a next page. */
export const pageBudgetMs = 1500;

/** Whether a page starts where an earlier one was stopped. */
export const wasStopped = (after: string | undefined): boolean => after?.startsWith(prefix) === true;

/** A storage for one page of a query without conditions, and the position at which it stopped. */
export interface FirstRows {
  readonly storage: TableStorage;
  /** Undefined if the query read all that it asked for. */
  readonly stoppedAt: () => string | undefined;
  /** The `after` for the query. */
  readonly after: string | undefined;
}

/**
 * Ends a page early, because rows of one class may be rare in a large table: filling the page could read all of it.
 * After the time of the budget, the table seems to end, and the next page starts at the recorded position.
 */
export function firstRows(
  core: StudioCore,
  storage: TableStorage,
  after: string | undefined,
  budgetMs: number = pageBudgetMs,
): FirstRows {
  let start = wasStopped(after) ? after?.slice(prefix.length) : undefined;
  let stopped: string | undefined;
  const end = performance.now() + budgetMs;
  let requests = 0;
  const bounded = core.forwardStorage(storage, {
    query(table, query, options) {
      const from = query.after ?? (start as ContinuationToken | undefined);
      start = undefined;
      if (requests++ === 0 || from === undefined || performance.now() < end)
        return storage.query(table, from === undefined ? query : { ...query, after: from }, options);
      stopped = from;
      return Promise.resolve({ entities: [] });
    },
  });
  return {
    storage: bounded,
    stoppedAt: () => (stopped === undefined ? undefined : prefix + stopped),
    after: start === undefined ? after : undefined,
  };
}
