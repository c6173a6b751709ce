import type { EntityKey, StoredEntity } from "../values/edm/stored-entity.ts";
import type { FilterNode } from "../values/filter/filter-node.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { WriteOperation, WriteResult } from "./write-operation.ts";

/** Properties of a response in addition to its content; a storage that sends no HTTP requests leaves them out. */
export interface ResponseFacts {
  /** The HTTP status. */
  readonly status?: number;
  /** The service's ID for the request. */
  readonly requestId?: string | undefined;
  /** Bytes of the response body. */
  readonly bytes?: number;
  /** Bytes of the request body. */
  readonly sentBytes?: number;
}

/** Options of one request. */
export interface RequestOptions {
  /**
   * Cancels the request. A write that may have been sent already fails with `applied: "maybe"`.
   *
   * ```ts
   * const blogs = context.query(Blog).where({ channel });
   * console.log((await blogs.toArray({ signal: AbortSignal.timeout(5000) })).length); // → 3
   * ```
   */
  readonly signal?: AbortSignal | undefined;
  /** The number of this attempt, starting from 1, for hooks and traces; a storage ignores it. */
  readonly attempt?: number | undefined;
  /** Whether a read may use a replica, some minutes old, if the storage has one. */
  readonly mayBeStale?: boolean | undefined;
  /**
   * How this request is retried, instead of by its context's policy; a storage ignores it.
   *
   * ```ts
   * import { noRetry } from "@partita/core/rest";
   *
   * const blog = await context.find(Blog, { channel, postedOn }, { retry: noRetry });
   * ```
   */
  readonly retry?: RetryPolicy | undefined;
  /**
   * Called with the properties of the response, or of a refusal, before the request ends; a storage may omit the call.
   */
  readonly onResponse?: ((facts: ResponseFacts) => void) | undefined;
}

declare const continuationBrand: unique symbol;

/** The start of the next page: opaque, and valid only for the storage that returned it. */
export type ContinuationToken = string & { readonly [continuationBrand]: true };

/** A query in terms of stored names. */
export interface StoredQuery {
  readonly filter?: FilterNode;
  /** Stored names to return; all when absent. Keys, Timestamp and ETag are always returned. */
  readonly select?: readonly string[];
  /** Maximum number of entities in a page: 1 to 1000. */
  readonly top?: number;
  readonly after?: ContinuationToken;
  /** Whether the last entities come first; only for a storage with `readsBackwards`. */
  readonly isBackwards?: boolean;
}

/** One response to a query. A page may have few entities or none although there is a next page. */
export interface StoredPage {
  readonly entities: readonly StoredEntity[];
  /** Absent on the last page. */
  readonly next?: ContinuationToken;
}

/**
 * Hints between the programs of a storage: with them, a worker does not wait for its next poll. A hint can be lost, repeated
 * or late; nothing but speed may depend on it.
 */
export interface StorageSignals {
  /** Sends a hint to all programs that listen to this name, this one included. It returns at once, and never fails. */
  announce(name: string): void;
  /**
   * Calls `wake` for each hint.
   *
   * @returns a function that ends this
   */
  listen(name: string, wake: () => void): () => void;
}

/**
 * The operations that Partita needs from a storage. A storage sends each request once; retries and decisions about
 * outcomes are made by its callers.
 *
 * It behaves as the service does: entities in order of (PartitionKey, RowKey) by UTF-16 code units, optimistic
 * concurrency by ETag, transactions within one partition, the service's limits and error codes. Every method rejects
 * with a `StorageError`; its `applied` reports whether a write was applied.
 */
export interface TableStorage extends AsyncDisposable {
  /** The location of the data, without secrets, for messages. */
  readonly description: string;

  /** True if pages have no guaranteed order, as with Cosmos DB; absent for a storage that returns key order. */
  readonly isUnordered?: boolean;

  /**
   * True if a read may miss a write that storage confirmed to another client, as with Cosmos DB and its default
   * consistency. Values cannot be unique over a table then.
   */
  readonly readsMayBeStale?: boolean;

  /** True if it can read key ranges backwards (`isBackwards`), at the same cost as forwards. */
  readonly readsBackwards?: boolean;

  /**
   * A time, in milliseconds since 1970, that the storage's own clock has definitely reached: later writes have no older
   * Timestamp. Undefined, or absent, if that is not known.
   */
  reachedTime?(): number | undefined;

  /** Absent for a storage without hints. */
  readonly signals?: StorageSignals;

  /** Reads one page, in key order. */
  query(table: string, query: StoredQuery, options?: RequestOptions): Promise<StoredPage>;

  /** Reads one entity; undefined if it is not stored. */
  get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined>;

  /** Writes one entity. */
  write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult>;

  /** Writes up to 100 entities of one partition atomically; an error has the index of the failed operation. */
  transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]>;

  /** @throws StorageError `storage.table-already-exists` */
  createTable(table: string, options?: RequestOptions): Promise<void>;

  /** Deletes a table with all its entities. @throws StorageError `storage.resource-not-found` */
  deleteTable(table: string, options?: RequestOptions): Promise<void>;

  /** Returns the table names in order, spelled as when they were created. */
  listTables(options?: RequestOptions): Promise<readonly string[]>;

  /** Finishes accepted requests and releases the storage; later calls are refused. */
  close(): Promise<void>;
}
