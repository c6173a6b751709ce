import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { runAround } from "../../storage/tracing/trace-without-result.ts";
import type { QueryEvent } from "../../storage/tracing/trace-events.ts";

/** Queries of every context, for tracing: `partita:query`. An event is created only if the channel has subscribers. */
export const queryChannel: TracingChannel<object> = tracingChannel("partita:query");

/** An event as its query counts in it. */
export type QueryCounts = { -readonly [Name in keyof QueryEvent]: QueryEvent[Name] };

/** Publishes the reading of one page. */
export async function traceQuery<Result>(
  event: QueryCounts,
  read: () => Promise<Result>,
  sizeOf: (result: Result) => number,
): Promise<Result> {
  const reading = (async function* (): AsyncGenerator<Result> {
    yield await read();
  })();
  let result: Result | undefined;
  for await (const each of traceReading(event, reading, sizeOf)) result = each;
  return result as Result;
}

/**
 * Publishes reading that proceeds step by step. A generator runs in the asynchronous context of the caller that
 * requests its next step; each step is run in the context of the query, so tracing tools assign its requests to the
 * query.
 *
 * @param reading - must not have started yet
 */
export async function* traceReading<Read>(
  event: QueryCounts,
  reading: AsyncGenerator<Read>,
  sizeOf: (read: Read) => number,
): AsyncGenerator<Read> {
  const ended = Promise.withResolvers<void>();
  let inside = AsyncLocalStorage.snapshot();
  const published = queryChannel.tracePromise(() => {
    inside = runAround(event, () => AsyncLocalStorage.snapshot());
    return ended.promise;
  }, event);
  try {
    for (;;) {
      const from = performance.now();
      const step = await inside(() => reading.next());
      event.readMs += performance.now() - from;
      if (step.done === true) break;
      event.entities += sizeOf(step.value);
      yield step.value;
    }
  } catch (error) {
    ended.reject(error);
    throw error;
  } finally {
    await inside(() => reading.return(undefined));
    ended.resolve();
    // Its end is published before the reader goes on.
    await published.catch(() => undefined);
  }
}
