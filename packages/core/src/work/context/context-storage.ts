import { messageOf } from "../../values/errors/built-ins.ts";
import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { FilterNode } from "../../values/filter/filter-node.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import {
  commitRows,
  countRows,
  engineOf,
  readRows,
  type RowPage,
  type RowStorage,
} from "../../storage/store-engine.ts";
import type {
  StoredPage,
  RequestOptions,
  ResponseFacts,
  StoredQuery,
  TableStorage,
} from "../../storage/table-storage.ts";
import { traceWithoutResult } from "../../storage/tracing/trace-without-result.ts";
import { retryRead, type Retries } from "../../storage/with-retry.ts";
import type { WriteOperation, WriteResult } from "../../storage/write-operation.ts";
import { type ContextHooks, type ReceivedResponse, runInside } from "../unit-of-work/hooks.ts";
import type { RequestEvent, SentRequest } from "../../storage/tracing/trace-events.ts";
import type { MissingTables } from "./missing-tables.ts";
import type { RequestBudget } from "./request-budget.ts";

/** The tracing channel for the requests of all contexts. Its events have no keys, values or credentials. */
const channel: TracingChannel<object> = tracingChannel("partita:request");

type Send<Result> = (options: RequestOptions | undefined) => Promise<Result>;

/** The observers of a context's requests. */
export interface Observers {
  /** The context that sends the requests, for hooks. */
  readonly context: object;
  readonly hooks: ContextHooks;
  readonly budget: RequestBudget | undefined;
  readonly missingTables: MissingTables | undefined;
  /** Errors of `received` hooks after a write, which must not hide its outcome. */
  readonly lateErrors: unknown[];
}

/**
 * The storage as used by one context. It reports each request to hooks, tracing channels and the request budget, and
 * retries reads. Without observers a request has no extra cost; channels may get subscribers at any time. It is a
 * single object, since programs create a context for each piece of work.
 */
export class ContextStorage implements RowStorage {
  readonly description: string;
  declare readonly isUnordered?: boolean;
  declare readonly readsMayBeStale?: boolean;
  declare readonly readsBackwards?: boolean;
  declare readonly reachedTime?: () => number | undefined;
  readonly #storage: TableStorage;
  readonly #observers: Observers;
  readonly #retries: Retries;
  readonly #mayBeStale: boolean;
  readonly #isHooked: boolean;

  /** @param mayBeStale - whether reads may use a replica unless they say otherwise */
  constructor(storage: TableStorage, observers: Observers, retries: Retries, mayBeStale: boolean) {
    const { sending, received } = observers.hooks;
    this.description = storage.description;
    this.#storage = storage;
    this.#observers = observers;
    this.#retries = retries;
    this.#mayBeStale = mayBeStale;
    this.#isHooked = sending !== undefined || received !== undefined;
    if (storage.isUnordered !== undefined) this.isUnordered = storage.isUnordered;
    if (storage.readsMayBeStale !== undefined) this.readsMayBeStale = storage.readsMayBeStale;
    if (storage.readsBackwards !== undefined) this.readsBackwards = storage.readsBackwards;
    if (storage.reachedTime !== undefined) this.reachedTime = storage.reachedTime.bind(storage);
  }

  query(table: string, query: StoredQuery, options?: RequestOptions): Promise<StoredPage> {
    const read: Send<StoredPage> = (sent) => this.#storage.query(table, query, sent);
    return this.#read(options, (own) =>
      this.#sent("query", table, 0, own, read, ({ entities }) => entities.length),
    );
  }

  readRows(
    table: string,
    query: StoredQuery,
    reader: RowReader | undefined,
    options?: RequestOptions,
  ): Promise<RowPage> {
    const read: Send<RowPage> = (sent) => readRows(this.#storage, table, query, reader, sent);
    return this.#read(options, (own) => this.#sent("query", table, 0, own, read, ({ rows }) => rows.length));
  }

  get countsRows(): boolean {
    return engineOf(this.#storage)?.countRows !== undefined;
  }

  countRows(
    table: string,
    filter: FilterNode | undefined,
    absent: string | undefined,
    options?: RequestOptions,
  ): Promise<number | undefined> {
    const read: Send<number | undefined> = (sent) => countRows(this.#storage, table, filter, absent, sent);
    return this.#read(options, (own) => this.#sent("query", table, 0, own, read, () => 0));
  }

  get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined> {
    const read: Send<StoredEntity | undefined> = (sent) => this.#storage.get(table, key, sent);
    return this.#read(options, (own) =>
      this.#sent("get", table, 0, own, read, (row) => (row === undefined ? 0 : 1)),
    );
  }

  write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult> {
    return this.#sent("write", table, 1, options, (sent) => this.#storage.write(table, operation, sent));
  }

  transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    return this.commit(table, operations, options);
  }

  commit(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    const { length } = operations;
    return this.#sent("transact", table, length, options, (sent) =>
      commitRows(this.#storage, table, operations, sent),
    );
  }

  createTable(table: string, options?: RequestOptions): Promise<void> {
    return this.#storage.createTable(table, options);
  }

  deleteTable(table: string, options?: RequestOptions): Promise<void> {
    return this.#storage.deleteTable(table, options);
  }

  listTables(options?: RequestOptions): Promise<readonly string[]> {
    return this.#storage.listTables(options);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#storage.close();
  }

  #read<Result>(
    options: RequestOptions | undefined,
    read: (options: RequestOptions) => Promise<Result>,
  ): Promise<Result> {
    return retryRead(this.#retries, { mayBeStale: this.#mayBeStale, ...options }, read);
  }

  /** Sends one request, and reports it to the observers. */
  #sent<Result>(
    type: SentRequest["type"],
    table: string,
    operations: number,
    options: RequestOptions | undefined,
    send: Send<Result>,
    count?: (result: Result) => number,
  ): Promise<Result> {
    const { budget, missingTables } = this.#observers;
    if (missingTables !== undefined) {
      const once = send;
      send = (own) => missingTables.send(table, () => once(own));
    }
    if (!this.#isHooked && budget === undefined && channel.hasSubscribers === false) return send(options);
    budget?.count();
    const request = { type, table, operations, attempt: options?.attempt ?? 1 };
    return this.#observe(request, options, send, count);
  }

  #observe<Result>(
    request: SentRequest,
    options: RequestOptions | undefined,
    send: Send<Result>,
    count: (result: Result) => number | undefined = () => undefined,
  ): Promise<Result> {
    const about: RequestEvent = { ...request, storage: this.description };
    return traceWithoutResult(channel, about, async (event) => {
      const own = event && {
        ...options,
        onResponse: (facts: ResponseFacts) => void Object.assign(event, facts),
      };
      const sent = (): Promise<Result> => send(own ?? options);
      const result = await (this.#isHooked ? callHooks(this.#observers, request, sent, count) : sent());
      const rows = event && count(result);
      if (rows !== undefined) Object.assign(event as object, { rows });
      return result;
    });
  }
}

async function callHooks<Result>(
  { context, hooks, lateErrors }: Observers,
  request: SentRequest,
  send: () => Promise<Result>,
  count: (result: Result) => number | undefined,
): Promise<Result> {
  const { sending, received } = hooks;
  if (sending !== undefined) await runInside(context, () => sending(request)).catch(refuse);
  const isWrite = request.type === "write" || request.type === "transact";
  const from = performance.now();
  const answered = async (more: Pick<ReceivedResponse, "entities" | "error">): Promise<void> => {
    if (received === undefined) return;
    const response: ReceivedResponse = { ...request, durationMs: performance.now() - from, ...more };
    try {
      await runInside(context, () => received(response));
    } catch (error) {
      if (!isWrite && more.error === undefined) throw error;
      lateErrors.push(error);
    }
  };
  let result: Result;
  try {
    result = await send();
  } catch (error) {
    await answered(StorageError.is(error) ? { error } : {});
    throw error;
  }
  const entities = count(result);
  await answered(entities === undefined ? {} : { entities });
  return result;
}

/** If a hook throws before a request, the request is certainly not sent. */
function refuse(cause: unknown): never {
  const message = `Not sent: a "sending" hook threw (${messageOf(cause)}).`;
  throw new StorageError("storage.not-sent", message, { applied: "no" }, { cause });
}
