import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import type { QueueStorage } from "@partita/core/queues";

/** The work of messages, for tracing: `partita:task`. Without payloads and inputs. */
const ofTasks: TracingChannel<object> = tracingChannel("partita:task");

/** Requests of workers to queues, for tracing: `partita:queue`. Without texts and receipts. */
const ofQueues: TracingChannel<object> = tracingChannel("partita:queue");

/** Runs the work of a message, reported to the channel `partita:task`. */
export const traceTask = <Result>(about: object, work: () => Promise<Result>): Promise<Result> =>
  trace(ofTasks, () => about, work);

/** Tracing channels publish what a promise resolves to: that is kept from them. */
async function trace<Result>(
  channel: TracingChannel<object>,
  about: () => object,
  work: () => Promise<Result>,
): Promise<Result> {
  if (channel.hasSubscribers === false) return work();
  let result: Result | undefined;
  await channel.tracePromise(
    async () => {
      result = await work();
    },
    { ...about() },
  );
  return result as Result;
}

/** The same queues, each of whose requests is reported to the channel `partita:queue`. */
export function traceQueues(inner: QueueStorage): QueueStorage {
  const { description } = inner;
  const traced =
    <Args extends readonly unknown[], Result>(
      type: string,
      send: (queue: string, ...args: Args) => Promise<Result>,
    ) =>
    (queue: string, ...args: Args): Promise<Result> =>
      trace(
        ofQueues,
        () => ({ type, queue, queues: description }),
        () => send(queue, ...args),
      );
  return {
    description,
    maxTextBytes: inner.maxTextBytes,
    createQueue: traced("create", inner.createQueue.bind(inner)),
    deleteQueue: traced("delete", inner.deleteQueue.bind(inner)),
    put: traced("put", inner.put.bind(inner)),
    receive: traced("receive", inner.receive.bind(inner)),
    update: traced("update", inner.update.bind(inner)),
    remove: traced("remove", inner.remove.bind(inner)),
    peek: traced("peek", inner.peek.bind(inner)),
    clear: traced("clear", inner.clear.bind(inner)),
    approximateCount: traced("count", inner.approximateCount.bind(inner)),
    listQueues: (options) => inner.listQueues(options),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}
