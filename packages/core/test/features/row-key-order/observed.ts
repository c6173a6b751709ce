import { setImmediate as nextTurn } from "node:timers/promises";
import type { TableStorage } from "../../../src/index.ts";
import type { StoredPage, RequestOptions, StoredQuery } from "../../../src/storage.ts";

/** What a storage was asked for. */
export interface Observed {
  readonly storage: TableStorage;
  readonly queries: StoredQuery[];
  /** Point reads. */
  gets: number;
  /** Most requests on their way at once. */
  mostAtOnce: number;
  /** Rows that it returned. */
  rows: number;
  reset(): void;
}

/** Observes the reads of a storage. @param longestPage - rows that it returns at most, whatever it is asked for */
export function observed(inner: TableStorage, longestPage = 1000): Observed {
  let waiting = 0;
  const seen: Observed = {
    queries: [],
    gets: 0,
    mostAtOnce: 0,
    rows: 0,
    reset() {
      seen.queries.length = seen.gets = seen.mostAtOnce = seen.rows = 0;
    },
    storage: Object.assign(Object.create(inner) as TableStorage, {
      query: async (table: string, asked: StoredQuery, options?: RequestOptions): Promise<StoredPage> => {
        seen.queries.push(asked);
        seen.mostAtOnce = Math.max(seen.mostAtOnce, ++waiting);
        // Whoever sends more requests has sent them by the next turn of the event loop.
        await nextTurn();
        waiting--;
        const top = Math.min(asked.top ?? 1000, longestPage);
        const page = await inner.query(table, { ...asked, top }, options);
        seen.rows += page.entities.length;
        return page;
      },
      get: (...call: Parameters<TableStorage["get"]>) => {
        seen.gets++;
        return inner.get(...call);
      },
    }),
  };
  return seen;
}
