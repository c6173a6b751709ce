import type { TracingChannel } from "node:diagnostics_channel";

/** Properties that a subscriber to `start` may add to an event. */
export interface AroundWork {
  /**
   * Runs the work. A subscriber that has a context of its own for asynchronous calls, as tracing libraries do, sets
   * it to run the work there: `run => around(() => inMyContext(run))`, where `around` is what it finds, if anything.
   */
  around?: <Result>(work: () => Result) => Result;
}

/** Runs the work of an event as its subscribers want it. */
export function runAround<Result>(event: object, work: () => Result): Result {
  const { around } = event as AroundWork;
  return around === undefined ? work() : around(work);
}

/** An event of work in progress; the outcome is added to it. */
type Open<Event> = { -readonly [Name in keyof Event]: Event[Name] };

/**
 * Does some work, and publishes it to a tracing channel if it has subscribers.
 *
 * Tracing channels publish the value that a promise resolves to. Rows, messages and outputs are withheld from them.
 *
 * @param work - is given the event that is published, to add counts to; undefined without subscribers
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
