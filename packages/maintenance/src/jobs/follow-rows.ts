import { readRows, type Retries, type RowPage, type RowReader } from "@partita/core/internal";
import { followQuery, retryRead } from "@partita/core/internal/jobs";
import type { RequestOptions, StoredQuery, TableStorage } from "@partita/core/storage";

/** Options for reading the rows of pages. */
interface FollowOptions {
  readonly retries: Retries;
  readonly request?: RequestOptions;
  /** Makes rows from their bytes; when absent, all are parsed. It has no effect on a storage without an engine. */
  readonly reader?: RowReader | undefined;
}

/** Reads all pages of a query in turn; each is retried. @throws QueryError `query.token-repeated`; StorageError */
export const followRows = (
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  { retries, request, reader }: FollowOptions,
): AsyncGenerator<RowPage> =>
  followQuery(table, query, (ofPage) =>
    retryRead(retries, request, (own) => readRows(storage, table, ofPage, reader, own)),
  );
