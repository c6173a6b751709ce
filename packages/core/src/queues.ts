// Queues: messages that one of many workers takes for a time, in Azure Queue storage or in any table storage.

export { openQueues } from "./open-queues.ts";
export type { OpenQueuesOptions } from "./stores/azure/queues/queue-options.ts";
export { queueSas, type QueueSasOptions } from "./stores/azure/credentials/queue-sas.ts";

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
} from "./storage/queues/queue-storage.ts";
export type { QueueEvent } from "./storage/queues/observe-queues.ts";
export { isMessageLost } from "./storage/queues/queue-errors.ts";
export { checkQueueName } from "./storage/queues/check-queues.ts";
export { tableQueues, type TableQueueOptions } from "./stores/table-queues/table-queues.ts";
