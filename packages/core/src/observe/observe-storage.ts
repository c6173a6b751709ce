import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { StorageError } from "../errors/storage-error.ts";
import { transactEncoded } from "../storage/encoded-operations.ts";
import { forwardStorage } from "../storage/forward-storage.ts";
import type { AnswerFacts, Page, RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { rowsIn } from "../storage/rows.ts";
import { traceWithoutResult } from "../storage/trace-without-result.ts";
import { type ContextHooks, type ReceivedAnswer, runInside, type SentRequest } from "./hooks.ts";
import type { RequestBudget } from "./request-budget.ts";
import type { RequestEvent } from "./trace-events.ts";

/** Requests of every context, for tracing: `partita:request`. Without keys, values or credentials. */
const channel: TracingChannel<object> = tracingChannel("partita:request");

/** The observers of a context's requests. */
export interface Observers {
  /** The context whose code runs, for hooks. */
  readonly context: object;
  readonly hooks: ContextHooks;
  readonly budget: RequestBudget | undefined;
  /** Errors of `received` hooks after a write, which must not hide what it did. */
  readonly lateErrors: unknown[];
}

/** The same storage, each of whose requests is reported to hooks, to tracing channels and to the request budget. */
export function observeStorage(storage: TableStorage, observers: Observers): TableStorage {
  const { budget, hooks } = observers;
  const isHooked = hooks.sending !== undefined || hooks.received !== undefined;
  const isObserved = isHooked || budget !== undefined;
  const observe = <Result>(
    request: SentRequest,
    options: RequestOptions | undefined,
    send: (options: RequestOptions | undefined) => Promise<Result>,
    count: (result: Result) => number | undefined = () => undefined,
  ): Promise<Result> => {
    budget?.count();
    const about: RequestEvent = { ...request, storage: storage.description };
    return traceWithoutResult(channel, about, async (event) => {
      const own = event && { ...options, answered: (facts: AnswerFacts) => void Object.assign(event, facts) };
      const sent = (): Promise<Result> => send(own ?? options);
      const result = await (isHooked ? callHooks(observers, request, sent, count) : sent());
      const rows = event && count(result);
      if (rows !== undefined) Object.assign(event as object, { rows });
      return result;
    });
  };
  const about = (
    type: SentRequest["type"],
    table: string,
    operations: number,
    options: RequestOptions | undefined,
  ): SentRequest => ({ type, table, operations, attempt: options?.attempt ?? 1 });
  // A request costs nothing more while nobody observes it; tracing channels may get subscribers at any time.
  return forwardStorage(storage, {
    query: (table, query, options) =>
      isObserved || channel.hasSubscribers !== false
        ? observe(
            about("query", table, 0, options),
            options,
            (sent) => storage.query(table, query, sent),
            rowsOf,
          )
        : storage.query(table, query, options),
    get: (table, key, options) =>
      isObserved || channel.hasSubscribers !== false
        ? observe(
            about("get", table, 0, options),
            options,
            (sent) => storage.get(table, key, sent),
            (row) => (row === undefined ? 0 : 1),
          )
        : storage.get(table, key, options),
    write: (table, operation, options) =>
      isObserved || channel.hasSubscribers !== false
        ? observe(about("write", table, 1, options), options, (sent) => storage.write(table, operation, sent))
        : storage.write(table, operation, options),
    transact: (table, operations, options) =>
      isObserved || channel.hasSubscribers !== false
        ? observe(about("transact", table, operations.length, options), options, (sent) =>
            transactEncoded(storage, table, operations, sent),
          )
        : transactEncoded(storage, table, operations, options),
  });
}

/** Rows that were made of bytes stay so: to look at them as entities would parse them. */
const rowsOf = (page: Page): number => rowsIn(page)?.rows.length ?? page.entities.length;

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
  const answered = async (more: Pick<ReceivedAnswer, "entities" | "error">): Promise<void> => {
    if (received === undefined) return;
    const answer: ReceivedAnswer = { ...request, durationMs: performance.now() - from, ...more };
    try {
      await runInside(context, () => received(answer));
    } catch (error) {
      if (!isWrite && more.error === undefined) throw error;
      lateErrors.push(error);
    }
  };
  let result: Result;
  try {
    result = await send();
  } catch (error) {
    await answered(error instanceof StorageError ? { error } : {});
    throw error;
  }
  const entities = count(result);
  await answered(entities === undefined ? {} : { entities });
  return result;
}

/** A hook that throws before a request keeps it from being sent, for certain. */
function refuse(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new StorageError(
    "storage.not-sent",
    `Not sent: a "sending" hook threw (${why}).`,
    { applied: "no" },
    { cause },
  );
}
