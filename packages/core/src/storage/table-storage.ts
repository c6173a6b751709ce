import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import type { FilterNode } from "../values/filter/filter-node.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { WriteOperation, WriteResult } from "./write-operation.ts";

/** What is known of a response besides its content; stores without HTTP requests know nothing. */
export interface ResponseFacts {
  /** The HTTP status. */
  readonly status?: number;
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
  /** Bytes of the response's body. */
  readonly bytes?: number;
  /** Bytes of the request's body. */
  readonly sentBytes?: number;
}

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request. A write that may have left already fails with `applied: "maybe"`. */
  readonly signal?: AbortSignal | undefined;
  /** Which try of the request this is, counted from 1: for those who observe requests; a store ignores it. */
  readonly attempt?: number | undefined;
  /** Whether a read may be answered by a copy that is some minutes old, where the store has one. */
  readonly mayBeStale?: boolean | undefined;
  /** How this request is tried again, in place of its context's policy; a store ignores it. */
  readonly retry?: RetryPolicy | undefined;
  /** Is called with what is known of the response, also of a refusal, before the request ends; a store may leave it out. */
  readonly onResponse?: ((facts: ResponseFacts) => void) | undefined;
}

declare const continuationBrand: unique symbol;

/** Where the next page begins: opaque, given by a store and understood by that store only. */
export type ContinuationToken = string & { readonly [continuationBrand]: true };

/** A query in terms of stored names. */
export interface StoredQuery {
  readonly filter?: FilterNode;
  /** Stored names to return; all of them when absent. Keys, Timestamp and ETag always come. */
  readonly select?: readonly string[];
  /** Most entities of one page: 1 to 1000. */
  readonly top?: number;
  readonly after?: ContinuationToken;
}

/** One answer to a query. It may hold few entities or none and still have a next page. */
export interface StoredPage {
  readonly entities: readonly StoredEntity[];
  /** Absent when the query is at its end. */
  readonly next?: ContinuationToken;
}

/**
 * What this library needs of a store. A store sends each request once: retrying and judging outcomes happen above.
 *
 * Semantics are the service's: entities in order of (PartitionKey, RowKey) by UTF-16 code units, optimistic
 * concurrency by ETag, transactions within one partition, the service's limits and error codes. Every method rejects
 * with a `StorageError`, which says whether a write was applied.
 */
export interface TableStorage extends AsyncDisposable {
  /** Where the data is, without secrets: for messages. */
  readonly description: string;

  /** True where pages come in no promised order, as from Cosmos DB; absent for a store that keeps key order. */
  readonly isUnordered?: boolean;

  /**
   * A time, in milliseconds since 1970, that the store's own clock has certainly reached: what is written from now on has
   * no older Timestamp. Undefined, or absent, where that is not known.
   */
  reachedTime?(): number | undefined;

  /** Reads one page, in key order. */
  query(table: string, query: StoredQuery, options?: RequestOptions): Promise<StoredPage>;

  /** Reads one entity; undefined when it is not stored. */
  get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined>;

  /** Writes one entity. */
  write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult>;

  /** Writes up to 100 entities of one partition, all or none; an error names the failing operation's index. */
  transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]>;

  /** @throws StorageError `storage.table-already-exists` */
  createTable(table: string, options?: RequestOptions): Promise<void>;

  /** Deletes a table and everything in it. @throws StorageError `storage.resource-not-found` */
  deleteTable(table: string, options?: RequestOptions): Promise<void>;

  /** Names as they were created, in order. */
  listTables(options?: RequestOptions): Promise<readonly string[]>;

  /** Finishes what was accepted and releases the store; later calls are refused. */
  close(): Promise<void>;
}
