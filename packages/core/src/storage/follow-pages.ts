import { QueryError } from "../values/errors/query-error.ts";
import type {
  ContinuationToken,
  StoredPage,
  RequestOptions,
  StoredQuery,
  TableStorage,
} from "./table-storage.ts";

/**
 * Detects repeated continuation tokens (Brent's cycle detection): one token is held, for twice as many pages each
 * time.
 */
export class TokenWatch {
  readonly #held = new Map<number, { token: string; left: number; pages: number }>();

  /**
   * Whether these pages have had the token before. A cycle is detected after three times its length at the latest.
   *
   * @param pages - which pages, where one watch is for several
   */
  repeats(token: string, pages: number = 0): boolean {
    const held = this.#held.get(pages);
    if (held?.token === token) return true;
    if (held === undefined || --held.left === 0) {
      const length = 2 * (held?.pages ?? 1);
      this.#held.set(pages, { token, left: length, pages: length });
    }
    return false;
  }
}

/** Every page of a query, one after the other. @throws QueryError `query.token-repeated`; StorageError */
export const followPages = (
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  options?: RequestOptions,
): AsyncGenerator<StoredPage> => followQuery(table, query, (ofPage) => storage.query(table, ofPage, options));

/** The same of pages that `read` reads. */
export async function* followQuery<Found extends Pick<StoredPage, "next">>(
  table: string,
  query: StoredQuery,
  read: (query: StoredQuery) => Promise<Found>,
): AsyncGenerator<Found> {
  const tokens = new TokenWatch();
  let after: ContinuationToken | undefined = query.after;
  for (;;) {
    const page = await read({ ...query, ...(after !== undefined && { after }) });
    const { next } = page;
    if (next !== undefined && (next === after || tokens.repeats(next))) throw repeatedToken(table);
    yield page;
    if (next === undefined) return;
    after = next;
  }
}

/** The error for a storage with endless pages. */
export function repeatedToken(table: string): QueryError {
  return new QueryError(
    "query.token-repeated",
    `The store returned the same continuation token twice for table ${table}, so its pages would never end. This is a fault of the store.`,
    { table },
  );
}
