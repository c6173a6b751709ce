/** Options of one request. */
export interface QueueRequestOptions {
  /** Cancels the request. A write that may have left already fails with `applied: "maybe"`. */
  readonly signal?: AbortSignal | undefined;
  /** Which try of the request this is, counted from 1: for those who observe requests; a store ignores it. */
  readonly attempt?: number | undefined;
}

/** What a holder of a message shows to change or remove it. A receipt is superseded by the next one of its message. */
export interface MessageReceipt {
  readonly id: string;
  /** Opaque, given by a store and understood by that store only. */
  readonly receipt: string;
}

/** A message that was put into a queue. */
export interface SentMessage extends MessageReceipt {
  readonly insertedAt: Date;
  /** When it becomes visible. */
  readonly visibleAt: Date;
  /** When it is removed, whoever holds it; absent for a message that does not expire. */
  readonly expiresAt?: Date;
}

/** A message as it is shown without being taken. */
export interface PeekedMessage {
  readonly id: string;
  readonly text: string;
  /** How often it was received, this time included: 0 for a message that nobody has received. */
  readonly deliveries: number;
  readonly insertedAt: Date;
  readonly expiresAt?: Date;
  /**
   * True where the stored text is not in the encoding that the queue's messages have here, as when another program sent
   * it; `text` is as it was stored then.
   */
  readonly isMalformed?: boolean;
}

/** A message that nobody else receives until `visibleAt`. */
export interface ReceivedMessage extends PeekedMessage, SentMessage {}

/** A message with its new receipt. */
export interface UpdatedMessage extends MessageReceipt {
  readonly visibleAt: Date;
}

/** How a message is put. */
export interface PutOptions extends QueueRequestOptions {
  /** How long nobody receives it, in milliseconds: 0 (default) to 7 days, and below `timeToLiveMs`. */
  readonly visibleAfterMs?: number | undefined;
  /** When it is removed, in milliseconds from now: 1000 or more; default 7 days. `"never"` for a message that stays. */
  readonly timeToLiveMs?: number | "never" | undefined;
}

/** How messages are received. */
export interface ReceiveOptions extends QueueRequestOptions {
  /** Most messages: 1 (default) to 32. */
  readonly max?: number | undefined;
  /** How long nobody else receives them, in milliseconds: 1000 to 7 days. */
  readonly visibilityMs: number;
}

/** How messages are looked at. */
export interface PeekOptions extends QueueRequestOptions {
  /** Most messages: 1 (default) to 32. */
  readonly max?: number | undefined;
}

/** What becomes of a message that is held. */
export interface UpdateOptions extends QueueRequestOptions {
  /** From now on, in milliseconds: 0, which makes it visible at once, to 7 days. */
  readonly visibilityMs: number;
  /** Its new text; absent, it stays as it is. */
  readonly text?: string | undefined;
}

/**
 * What this library needs of queues. A store sends each request once: retrying happens above.
 *
 * Semantics are those of Azure Queue storage: at least one delivery, in no promised order; a received message is
 * invisible for a time and is received again when its holder neither removes nor renews it until then; a count of
 * deliveries; a receipt that the next receive or update supersedes. Every method rejects with a `StorageError`, which
 * says whether a write was applied: a `put` that may have been applied may be sent again, and gives two messages then.
 *
 * Times are in milliseconds; a service counts in seconds, so that they are rounded up there.
 */
export interface QueueStorage extends AsyncDisposable {
  /** Where the queues are, without secrets: for messages. */
  readonly description: string;

  /** Most bytes of a message's text in UTF-8. */
  readonly maxTextBytes: number;

  /** Makes a queue where there is none of this name. @throws StorageError `queue.name` */
  createQueue(queue: string, options?: QueueRequestOptions): Promise<void>;

  /** Deletes a queue and its messages. @throws StorageError `storage.queue-not-found` */
  deleteQueue(queue: string, options?: QueueRequestOptions): Promise<void>;

  /** Names, in order. */
  listQueues(options?: QueueRequestOptions): Promise<readonly string[]>;

  /**
   * Puts a message.
   *
   * @throws StorageError `storage.queue-not-found`, `queue.text-too-large`, `queue.text-characters`; OptionError
   *   `queue.option`
   */
  put(queue: string, text: string, options?: PutOptions): Promise<SentMessage>;

  /** Takes visible messages for a time: none, where none is visible. @throws StorageError `storage.queue-not-found` */
  receive(queue: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]>;

  /**
   * Makes a held message visible at another time, and gives it another text where one is given.
   *
   * @throws StorageError `storage.message-not-found`, `storage.pop-receipt-mismatch`: somebody else holds it, or it is
   *   removed; `isMessageLost` knows both
   */
  update(queue: string, message: MessageReceipt, options: UpdateOptions): Promise<UpdatedMessage>;

  /** Removes a held message. @throws StorageError as `update` */
  remove(queue: string, message: MessageReceipt, options?: QueueRequestOptions): Promise<void>;

  /** Shows visible messages without taking them. @throws StorageError `storage.queue-not-found` */
  peek(queue: string, options?: PeekOptions): Promise<readonly PeekedMessage[]>;

  /** Removes all messages, held ones included. @throws StorageError `storage.queue-not-found` */
  clear(queue: string, options?: QueueRequestOptions): Promise<void>;

  /** Messages, held and invisible ones included; while others write, a number that was near. */
  approximateCount(queue: string, options?: QueueRequestOptions): Promise<number>;

  /** Releases the store; later calls are refused. */
  close(): Promise<void>;
}
