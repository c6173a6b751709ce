import type { TracingChannel } from "node:diagnostics_channel";

/** Properties that a subscriber to `start` may add to an event. */
export interface AroundWork {
  /**
   * Runs the work. A subscriber with its own asynchronous context, such as a tracing library, sets it to
   * `run => around(() => inMyContext(run))`; `around` is its former value, if any.
   */
  around?: <Result>(work: () => Result) => Result;
}

/** Runs the work of an event within the contexts of its subscribers. */
export function runAround<Result>(event: object, work: () => Result): Result {
  const { around } = event as AroundWork;
  return around === undefined ? work() : around(work);
}

/** An event of work in progress; the outcome is added to it. */
type Open<Event> = { -readonly [Name in keyof Event]: Event[Name] };

/**
 * Runs some work, and publishes it to a tracing channel if the channel has subscribers.
 *
 * Tracing channels publish the value of a promise. Rows, messages and outputs are withheld from them.
 *
 * @param work - receives the published event, to add counts to it; undefined without subscribers
 */
export function traceWithoutResult<Result, Event extends object>(
  channel: TracingChannel<object>,
  about: Event,
  work: (event?: Open<Event>) => Promise<Result>,
): Promise<Result> {
  return channel.hasSubscribers === false ? work() : trace(channel, about, work);
}

async function trace<Result, Event extends object>(
  channel: TracingChannel<object>,
  about: Event,
  work: (event: Open<Event>) => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined;
  // Channels add the outcome to the object that they publish.
  const event = { ...about };
  await channel.tracePromise(async () => {
    result = await runAround(event, () => work(event));
  }, event);
  return result as Result;
}
