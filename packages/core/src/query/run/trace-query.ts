import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { runAround } from "../../storage/tracing/trace-without-result.ts";
import type { QueryCounts, QueryTracer } from "./query-tracer.ts";

const channel: TracingChannel<object> = tracingChannel("partita:query");

/** Publishes the queries of every context to `partita:query`. */
export const queryTracer: QueryTracer = { channel, traceQuery, traceReading };

async function traceQuery<Result>(
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

/*
 * A generator runs in the asynchronous context of the caller that
 * requests its next step; each step is run in the context of the query, so tracing tools assign its requests to the
 * query.
 */
async function* traceReading<Read>(
  event: QueryCounts,
  reading: AsyncGenerator<Read>,
  sizeOf: (read: Read) => number,
): AsyncGenerator<Read> {
  const ended = Promise.withResolvers<void>();
  let inside = AsyncLocalStorage.snapshot();
  const published = channel.tracePromise(() => {
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
