import type { QueueStorage } from "@partita/queues";
import type { Counted } from "@partita/test-support/death";

/** The same queues, whose requests are counted. */
export const countedQueues = (inner: QueueStorage, counted: Counted): QueueStorage => ({
  ...inner,
  description: inner.description,
  maxTextBytes: inner.maxTextBytes,
  createQueue: (name, options) => counted(() => inner.createQueue(name, options), "createQueue"),
  put: (name, text, options) => counted(() => inner.put(name, text, options), "put"),
  receive: (name, options) => counted(() => inner.receive(name, options), "receive"),
  update: (name, message, options) => counted(() => inner.update(name, message, options), "update"),
  remove: (name, message, options) => counted(() => inner.remove(name, message, options), "remove"),
});
