/** Options of one request. */
export interface QueueRequestOptions {
  /** Cancels the request. A write that may already be sent fails with `applied: "maybe"`. */
  readonly signal?: AbortSignal | undefined;
  /** The number of this attempt, counted from 1, for observers. Stores ignore it. */
  readonly attempt?: number | undefined;
}

/**
 * The receipt that a worker needs to change or remove a message. Each new receipt of a message invalidates
 * the previous one.
 */
export interface MessageReceipt {
  readonly id: string;
  /** Opaque. Only the store that returned it understands it. */
  readonly receipt: string;
}

/** A message that was put into a queue. */
export interface SentMessage extends MessageReceipt {
  readonly insertedAt: Date;
  /** The time when it becomes visible. */
  readonly visibleAt: Date;
  /** The time when it expires, even if a worker has it. Absent for a message that does not expire. */
  readonly expiresAt?: Date;
}

/** A message that was peeked, not received. */
export interface PeekedMessage {
  readonly id: string;
  readonly text: string;
  /** Number of times it was received, including this time: 0 for a message that was never received. */
  readonly deliveries: number;
  readonly insertedAt: Date;
  readonly expiresAt?: Date;
  /**
   * `true` if the stored text does not have the encoding of these queues, for example because another program
   * sent it. `text` is then the stored text.
   */
  readonly isMalformed?: boolean;
}

/** A message that no other worker receives until `visibleAt`. */
export interface ReceivedMessage extends PeekedMessage, SentMessage {}

/** A message with its new receipt. */
export interface UpdatedMessage extends MessageReceipt {
  readonly visibleAt: Date;
}

/** Options for putting a message. */
export interface PutOptions extends QueueRequestOptions {
  /** Delay before it can be received, in milliseconds: 0 (default) to 7 days, and below `timeToLiveMs`. */
  readonly visibleAfterMs?: number | undefined;
  /**
   * Time until it expires, in milliseconds: 1000 or more. Default 7 days. `"never"` for a message that does
   * not expire.
   */
  readonly timeToLiveMs?: number | "never" | undefined;
}

/** Options for receiving messages. */
export interface ReceiveOptions extends QueueRequestOptions {
  /** Maximum messages: 1 (default) to 32. */
  readonly max?: number | undefined;
  /** How long other workers cannot receive them, in milliseconds: 1000 to 7 days. */
  readonly visibilityMs: number;
}

/** Options for peeking at messages. */
export interface PeekOptions extends QueueRequestOptions {
  /** Maximum messages: 1 (default) to 32. */
  readonly max?: number | undefined;
}

/** Options for updating a leased message. */
export interface UpdateOptions extends QueueRequestOptions {
  /** New visibility timeout from now, in milliseconds: 0 (visible immediately) to 7 days. */
  readonly visibilityMs: number;
  /** The new text. By default the text does not change. */
  readonly text?: string | undefined;
}

/**
 * The interface of queues in this library. A store sends each request once; retries happen in its callers.
 *
 * The semantics are those of Azure Queue storage: at-least-once delivery without a guaranteed order. A
 * received message is invisible for a time, and is received again if the worker neither removes nor renews
 * it. Each message has a count of deliveries, and a receipt that the next receive or update invalidates.
 * Every method rejects with a `StorageError`, which shows whether a write was applied. A `put` that may have
 * been applied can be sent again, but may then store two messages. Times are in milliseconds. A service
 * counts in seconds and rounds them up.
 */
export interface QueueStorage extends AsyncDisposable {
  /** The address of the queues for messages, without secrets. */
  readonly description: string;

  /** Maximum bytes of a message's text in UTF-8. */
  readonly maxTextBytes: number;

  /** Creates a queue if it does not exist. @throws StorageError `queue.name` */
  createQueue(queue: string, options?: QueueRequestOptions): Promise<void>;

  /** Deletes a queue and its messages. @throws StorageError `storage.queue-not-found` */
  deleteQueue(queue: string, options?: QueueRequestOptions): Promise<void>;

  /** The names of the queues, sorted. */
  listQueues(options?: QueueRequestOptions): Promise<readonly string[]>;

  /**
   * Puts a message into a queue.
   *
   * @throws StorageError `storage.queue-not-found`, `queue.text-too-large`, `queue.text-characters`;
   * OptionError `queue.option`
   */
  put(queue: string, text: string, options?: PutOptions): Promise<SentMessage>;

  /**
   * Receives visible messages and leases them. Empty if none is visible.
   *
   * @throws StorageError `storage.queue-not-found`
   */
  receive(queue: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]>;

  /**
   * Changes the visibility timeout of a leased message, and optionally its text.
   *
   * @throws StorageError `storage.message-not-found`, `storage.pop-receipt-mismatch` if another worker has
   * it, or it was removed; `isMessageLost` recognises both
   */
  update(queue: string, message: MessageReceipt, options: UpdateOptions): Promise<UpdatedMessage>;

  /** Removes a leased message. @throws StorageError like `update` */
  remove(queue: string, message: MessageReceipt, options?: QueueRequestOptions): Promise<void>;

  /** Returns visible messages without leasing them. @throws StorageError `storage.queue-not-found` */
  peek(queue: string, options?: PeekOptions): Promise<readonly PeekedMessage[]>;

  /**
   * Calls `wake` when a program puts a message that can be received at once. Absent for a store that can't tell. A call
   * can be missed, so workers still poll.
   *
   * @returns a function that ends this
   */
  onPut?(queue: string, wake: () => void): () => void;

  /** Removes all messages, including leased ones. @throws StorageError `storage.queue-not-found` */
  clear(queue: string, options?: QueueRequestOptions): Promise<void>;

  /**
   * The number of messages, including leased and invisible ones. It is approximate while other programs
   * write.
   */
  approximateCount(queue: string, options?: QueueRequestOptions): Promise<number>;

  /** Closes the store. Later calls are refused. */
  close(): Promise<void>;
}
