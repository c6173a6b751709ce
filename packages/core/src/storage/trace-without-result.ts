import type { TracingChannel } from "node:diagnostics_channel";

/**
 * Does some work, and publishes it to a tracing channel while somebody listens.
 *
 * Tracing channels publish what a promise resolves to. Rows, messages and outputs are kept from them.
 */
export function traceWithoutResult<Result>(
  channel: TracingChannel<object>,
  about: object,
  work: () => Promise<Result>,
): Promise<Result> {
  return channel.hasSubscribers === false ? work() : trace(channel, about, work);
}

async function trace<Result>(
  channel: TracingChannel<object>,
  about: object,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined;
  await channel.tracePromise(
    async () => {
      result = await work();
    },
    // Channels add what came of it to the object that they publish.
    { ...about },
  );
  return result as Result;
}
