import { QueryError } from "../values/errors/query-error.ts";
import type {
  ContinuationToken,
  StoredPage,
  RequestOptions,
  StoredQuery,
  TableStorage,
} from "./table-storage.ts";

/**
 * Detects repeated continuation tokens (Brent's cycle detection): it remembers one token, for twice as many pages each
 * time.
 */
export class TokenWatch {
  readonly #held = new Map<number, { token: string; left: number; pages: number }>();

  /**
   * Whether these pages had the token before. Detects a cycle after at most three times its length.
   *
   * @param pages - the number of the page sequence, if one watch is used for several
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

/** Reads all pages of a query in turn. @throws QueryError `query.token-repeated`; StorageError */
export const followPages = (
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  options?: RequestOptions,
): AsyncGenerator<StoredPage> => followQuery(table, query, (ofPage) => storage.query(table, ofPage, options));

/** Reads all pages in turn with the function `read`. */
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

/** The error for a storage that repeats a continuation token. */
export function repeatedToken(table: string): QueryError {
  return new QueryError(
    "query.token-repeated",
    `The store returned the same continuation token twice for table ${table}, so its pages would never end. This is a fault of the store.`,
    { table },
  );
}
