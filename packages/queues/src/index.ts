// Queues in Azure Queue storage or in any table storage. Each message is leased to one of many workers at a
// time.

export { openQueues } from "./open-queues.ts";
export type { OpenQueuesOptions } from "./azure/queue-options.ts";
export { queueSas, type QueueSasOptions, queueSasText } from "./azure/queue-sas.ts";

export type {
  MessageReceipt,
  PeekedMessage,
  PeekOptions,
  PutOptions,
  QueueRequestOptions,
  QueueStorage,
  ReceivedMessage,
  ReceiveOptions,
  SentMessage,
  UpdatedMessage,
  UpdateOptions,
} from "./port/queue-storage.ts";
export type { QueueEvent } from "./port/observe-queues.ts";
export { isMessageLost } from "./port/queue-errors.ts";
export { checkQueueName } from "./port/check-queues.ts";
export { tableQueues, type TableQueueOptions } from "./tables/table-queues.ts";
