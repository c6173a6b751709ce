import { StorageError } from "@partita/core";
import { checkCopy } from "@partita/core/internal";
import type { PutOptions, QueueStorage, SentMessage } from "@partita/queues";

/** Puts a message that does not expire. Creates its queue if it does not exist. */
export async function putMessage(
  queues: QueueStorage,
  queue: string,
  text: string,
  options: Pick<PutOptions, "visibleAfterMs" | "signal"> = {},
): Promise<SentMessage> {
  checkCopy(queues, "The storage of queues");
  const put = (): Promise<SentMessage> => queues.put(queue, text, { ...options, timeToLiveMs: "never" });
  try {
    return await put();
  } catch (error) {
    if (!isQueueMissing(error)) throw error;
    await queues.createQueue(queue, options.signal && { signal: options.signal });
    return put();
  }
}

/** Whether a request failed because its queue does not exist. */
export const isQueueMissing = (error: unknown): boolean =>
  StorageError.is(error) && error.code === "storage.queue-not-found";
