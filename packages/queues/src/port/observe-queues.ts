import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { checkCopy, markCopy, sharedSymbol, traceWithoutResult } from "@partita/core/internal";
import type { QueueRequestOptions, QueueStorage } from "./queue-storage.ts";

/**
 * A request to queues as published on the tracing channel `partita:queue`, without texts, receipts or
 * credentials.
 */
export interface QueueEvent {
  readonly type: Exclude<keyof QueueStorage, "description" | "maxTextBytes" | "close" | "onPut" | symbol>;
  /** Absent for a list of queues. */
  readonly queue?: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** The address of the queues. */
  readonly storage: string;
  /** Number of messages that were received or peeked. Present after such a request has ended. */
  readonly messages?: number;
}

const channel: TracingChannel<object> = tracingChannel("partita:queue");

/** Marks queues that already publish their requests, for any copy of this package. */
const observed = sharedSymbol("observed-queues");

/** Wraps queues to publish each request once on the tracing channel, while it has subscribers. */
export function observeQueues(queues: QueueStorage): QueueStorage {
  checkCopy(queues, "The storage of queues");
  if (Object.hasOwn(queues, observed)) return queues;
  const publishing = publishingQueues(queues);
  Object.defineProperty(publishing, observed, { value: true, configurable: true });
  markCopy(publishing);
  return publishing;
}

function publishingQueues(queues: QueueStorage): QueueStorage {
  const observe = <Result>(
    type: QueueEvent["type"],
    queue: string | undefined,
    options: QueueRequestOptions | undefined,
    send: () => Promise<Result>,
  ): Promise<Result> => {
    if (channel.hasSubscribers === false) return send();
    const request: QueueEvent = {
      type,
      ...(queue !== undefined && { queue }),
      attempt: options?.attempt ?? 1,
      storage: queues.description,
    };
    return traceWithoutResult(channel, request, async (event) => {
      const result = await send();
      const isMessages = type === "receive" || type === "peek";
      if (event !== undefined && isMessages) event.messages = (result as readonly object[]).length;
      return result;
    });
  };
  return {
    description: queues.description,
    maxTextBytes: queues.maxTextBytes,
    createQueue: (queue, options) =>
      observe("createQueue", queue, options, () => queues.createQueue(queue, options)),
    deleteQueue: (queue, options) =>
      observe("deleteQueue", queue, options, () => queues.deleteQueue(queue, options)),
    listQueues: (options) => observe("listQueues", undefined, options, () => queues.listQueues(options)),
    put: (queue, text, options) => observe("put", queue, options, () => queues.put(queue, text, options)),
    receive: (queue, options) => observe("receive", queue, options, () => queues.receive(queue, options)),
    update: (queue, message, options) =>
      observe("update", queue, options, () => queues.update(queue, message, options)),
    remove: (queue, message, options) =>
      observe("remove", queue, options, () => queues.remove(queue, message, options)),
    peek: (queue, options) => observe("peek", queue, options, () => queues.peek(queue, options)),
    clear: (queue, options) => observe("clear", queue, options, () => queues.clear(queue, options)),
    approximateCount: (queue, options) =>
      observe("approximateCount", queue, options, () => queues.approximateCount(queue, options)),
    ...(queues.onPut !== undefined && { onPut: queues.onPut.bind(queues) }),
    close: () => queues.close(),
    [Symbol.asyncDispose]: () => queues.close(),
  };
}
