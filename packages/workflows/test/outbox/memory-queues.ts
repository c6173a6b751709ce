import { StorageError } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import type {
  MessageReceipt,
  PutOptions,
  QueueStorage,
  ReceivedMessage,
  ReceiveOptions,
  SentMessage,
  UpdatedMessage,
  UpdateOptions,
} from "@partita/queues";

/** A message as it stands in a queue. */
interface Stored {
  readonly id: string;
  text: string;
  receipt: number;
  deliveries: number;
  visibleAt: number;
}

const lost = (code: string, status: number): StorageError =>
  new StorageError(`storage.${code}`, `The message is lost: ${code}.`, { applied: "no", status });

const notUsed = (): Promise<never> => Promise.reject(new Error("Nobody here uses this."));

/** Queues as plain lists, by a clock of a test. */
export function memoryQueues(clock: Clock): QueueStorage & { readonly queues: Map<string, Stored[]> } {
  const queues = new Map<string, Stored[]>();
  let made = 0;
  const listOf = (queue: string): Stored[] => {
    const list = queues.get(queue);
    if (list === undefined)
      throw new StorageError("storage.queue-not-found", "No such queue.", { applied: "no", status: 404 });
    return list;
  };
  const held = (queue: string, { id, receipt }: MessageReceipt): Stored => {
    const message = listOf(queue).find((one) => one.id === id);
    if (message === undefined) throw lost("message-not-found", 404);
    if (String(message.receipt) !== receipt) throw lost("pop-receipt-mismatch", 400);
    return message;
  };
  const shown = (message: Stored): ReceivedMessage & SentMessage & UpdatedMessage => ({
    ...message,
    receipt: String(message.receipt),
    insertedAt: new Date(0),
    visibleAt: new Date(message.visibleAt),
  });
  return {
    queues,
    description: "memory",
    maxTextBytes: 65_536,
    async createQueue(queue) {
      if (!queues.has(queue)) queues.set(queue, []);
    },
    async put(queue: string, text: string, { visibleAfterMs = 0 }: PutOptions = {}) {
      const visibleAt = clock.now() + visibleAfterMs;
      const message: Stored = { id: String(++made), text, receipt: ++made, deliveries: 0, visibleAt };
      listOf(queue).push(message);
      return shown(message);
    },
    async receive(queue: string, { max = 1, visibilityMs }: ReceiveOptions) {
      const visible = listOf(queue).filter(({ visibleAt }) => visibleAt <= clock.now());
      return visible.slice(0, max).map((message) => {
        message.deliveries++;
        message.receipt = ++made;
        message.visibleAt = clock.now() + visibilityMs;
        return shown(message);
      });
    },
    async update(queue: string, receipt: MessageReceipt, { visibilityMs, text }: UpdateOptions) {
      const message = held(queue, receipt);
      message.receipt = ++made;
      message.visibleAt = clock.now() + visibilityMs;
      if (text !== undefined) message.text = text;
      return shown(message);
    },
    async remove(queue: string, receipt: MessageReceipt) {
      const message = held(queue, receipt);
      queues.set(
        queue,
        listOf(queue).filter((one) => one !== message),
      );
    },
    async approximateCount(queue: string) {
      return queues.get(queue)?.length ?? 0;
    },
    deleteQueue: notUsed,
    listQueues: notUsed,
    peek: notUsed,
    clear: notUsed,
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
