import { StorageError, type TableStorage } from "@partita/core";
import { isMessageLost, type QueueStorage, type ReceivedMessage } from "@partita/queues";
import type { VirtualClock } from "@partita/testing";
import type { DispatchScope, HeldDelivery, Work } from "../../src/delivery/work.ts";
import { parseMessage } from "../../src/messages/message-text.ts";
import { dispatchOutbox } from "../../src/outbox/dispatch-outbox.ts";

/** What a worker of a test does with messages. */
export interface SmallWorker {
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly clock: VirtualClock;
  readonly maxAttempts: number;
  /** May throw. */
  readonly handle: (id: string, payload: unknown) => void | Promise<void>;
  /** What went to the poison queue. */
  readonly poison: (work: Work) => void;
}

const visibilityMs = 30_000;

/** Takes one message and does what it asks for, as a worker does; false where there is none, or it could not be asked. */
export async function takeOne(worker: SmallWorker, queue: string): Promise<boolean> {
  const [message] = await worker.queues.receive(queue, { visibilityMs }).catch(none);
  if (message === undefined) return false;
  try {
    await deliver(worker, queue, message);
  } catch (error) {
    // Delivered again when its time is over.
    if (!(error instanceof StorageError) && !isMessageLost(error)) throw error;
  }
  return true;
}

const none = (): readonly ReceivedMessage[] => [];

async function deliver(worker: SmallWorker, queue: string, message: ReceivedMessage): Promise<void> {
  const { queues } = worker;
  const { signal } = new AbortController();
  const work = await dispatchOutbox(parseMessage(message.text), scopeOf(worker, queue, signal));
  if (work === undefined || work === "nothing to do") return queues.remove(queue, message);
  const { id, deliveries } = message;
  const delivery: HeldDelivery = {
    id: work.id,
    messageId: id,
    queue,
    deliveries,
    signal,
    isHeld: true,
    lost: signal,
    visibilityMs,
  };
  try {
    const release = await work.run(delivery);
    if (release === undefined) return await queues.remove(queue, message);
    const { againAfterMs, text } = release;
    await queues.update(queue, message, { visibilityMs: againAfterMs, ...(text !== undefined && { text }) });
  } catch (error) {
    if (error instanceof StorageError) throw error;
    if (!work.isExhausted(delivery)) return;
    worker.poison(work);
    await work.abandon?.(error, delivery);
    await queues.remove(queue, message);
  }
}

const scopeOf = (
  { storage, queues, clock, maxAttempts, handle }: SmallWorker,
  queue: string,
  signal: AbortSignal,
): DispatchScope => ({
  storage,
  queues,
  clock,
  queue,
  signal,
  report: () => undefined,
  contextOptionsFor: () => ({}),
  taskWork: (name, id, payload) => ({
    kind: "task",
    name,
    id,
    run: async () => handle(id, payload),
    isExhausted: ({ deliveries }) => deliveries >= maxAttempts,
    failures: ({ deliveries }) => deliveries,
  }),
});
