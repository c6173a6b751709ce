import {
  accepted,
  aClock,
  aFunction,
  checkCopy,
  type CheckOptions,
  defineOptions,
  internalTables,
  isTableName,
  ulidSource,
  wholeNumber,
} from "@partita/core/internal";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import type { Clock, FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";
import { StorageError, type TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/internal";
import {
  checkPeek,
  checkPut,
  checkQueueName,
  checkQueueRequest,
  checkReceipt,
  checkReceive,
  checkText,
  checkUpdate,
  maxMessageBytes,
  maxVisibilityMs,
} from "../port/check-queues.ts";
import { observeQueues } from "../port/observe-queues.ts";
import { queueError } from "../port/queue-errors.ts";
import type {
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
} from "../port/queue-storage.ts";
import { bodyOf, movedRow, newRow, partitionOf, placeOf, receiptOf, rowKeyOf } from "./message-row.ts";
import { type KnownQueue, maxShards, QueueRows, removeMessages } from "./queue-rows.ts";
import { asQueueError, isRaceLost, type QueueTable, removalOf, rowsOf, rowsWhere } from "./queue-table.ts";
import { afterMessages } from "./set-aside.ts";
import { insertOf, isExpired, MessageTaker, wasStored } from "./take-messages.ts";

/** Options for queues in a table. */
export interface TableQueueOptions {
  /** The table. Default `PartitaQueues`. Use it for queues only. */
  readonly table?: string | undefined;
  /**
   * Number of partitions for the messages of a new queue: 1 to 64, default 4. Existing queues don't change.
   * More partitions let more programs put and receive concurrently, but make an empty receive slower. With 1,
   * a single consumer receives messages in the order in which they become visible. With more, the order is
   * not guaranteed.
   */
  readonly shards?: number | undefined;
  /**
   * How long this process caches that a queue exists, in milliseconds: 0 to 60,000, default 10,000. With 0, each
   * request reads the queue's row first, so the process notices immediately that another one deleted the queue.
   *
   * ```ts
   * const queues = tableQueues(storage, { cacheMs: 0 });
   * ```
   */
  readonly cacheMs?: number | undefined;
  /** The clock for visibility and expiry. Defaults to the system's. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 up to 1 that choose shards. Defaults to `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const checkOptions: CheckOptions = defineOptions<TableQueueOptions>(
  "tableQueues(storage, options)",
  {
    table: accepted(
      "a table name: 3 to 63 letters and digits, a letter first",
      (value) => typeof value === "string" && isTableName(value),
    ),
    shards: wholeNumber(1, maxShards),
    cacheMs: wholeNumber(0, 60_000),
    clock: aClock,
    random: aFunction,
  },
  "queue.option",
);

/**
 * Queues in a table of any storage: the embedded store, for programs without a service, or a service. Several
 * processes may use them concurrently. Each message is received with a transaction in its partition.
 *
 * Times come from the clocks of the processes. A wrong clock changes when messages become visible, but loses
 * none. An expired message is not returned, and is deleted once the storage's clock agrees that it has
 * expired.
 *
 * If another program writes rows that are not messages, the first receive that finds them sets them aside in
 * their partition. The process warning `PARTITA_QUEUE_ROW` reports them once for each queue.
 *
 * A process caches the row of a queue for 10 seconds (`cacheMs`). If another process deletes the queue in that time,
 * a message may still be put. If `deleteQueue` is still running, it removes the message. Otherwise the message
 * stays stored, and is received if the queue is created again. Messages that were put before `deleteQueue`
 * started are always removed.
 *
 * @param storage - stays open when the queues are closed
 * @throws OptionError `queue.option`; StateError `package.second-copy`
 */
export function tableQueues(storage: TableStorage, options: TableQueueOptions = {}): QueueStorage {
  checkOptions(options);
  checkCopy(storage, "The storage");
  return observeQueues(new TableQueues(storage, options));
}

class TableQueues implements QueueStorage {
  readonly description: string;
  readonly maxTextBytes: number = maxMessageBytes;
  readonly #table: QueueTable;
  readonly #queues: QueueRows;
  readonly #taker: MessageTaker;
  readonly #shards: number;
  readonly onPut?: (queue: string, wake: () => void) => () => void;
  #isClosed = false;

  constructor(storage: TableStorage, options: TableQueueOptions) {
    const { table = internalTables.queues, shards = 4, cacheMs = 10_000 } = options;
    const { clock = systemClock, random = Math.random } = options;
    const nextId = ulidSource();
    const newId = (): string => nextId(new Date(clock.now()));
    this.description = `queues in the table ${table} of ${storage.description}`;
    this.#table = { storage, table, clock, random, newId };
    this.#queues = new QueueRows(this.#table, cacheMs);
    this.#taker = new MessageTaker(this.#table);
    this.#shards = shards;
    const { signals } = storage;
    if (signals !== undefined) this.onPut = (queue, wake) => signals.listen(this.#signalOf(queue), wake);
  }

  #signalOf(queue: string): string {
    return `${this.#table.table}/${queue}`;
  }

  async createQueue(queue: string, options?: QueueRequestOptions): Promise<void> {
    this.#check(queue, () => checkQueueRequest(options));
    await this.#queues.create(queue, this.#shards, requestOf(options));
  }

  async deleteQueue(queue: string, options?: QueueRequestOptions): Promise<void> {
    this.#check(queue, () => checkQueueRequest(options));
    await this.#queues.delete(queue, requestOf(options));
  }

  async listQueues(options?: QueueRequestOptions): Promise<readonly string[]> {
    this.#checkOpen();
    checkQueueRequest(options);
    return this.#queues.list(requestOf(options));
  }

  async put(queue: string, text: string, options?: PutOptions): Promise<SentMessage> {
    this.#check(queue, () => {
      checkPut(options);
      checkText(queue, text, this.maxTextBytes);
    });
    const { visibleAfterMs = 0, timeToLiveMs = maxVisibilityMs } = options ?? {};
    return this.#in(queue, options, async ({ generation, shards }, request) => {
      const { storage, table, clock, random, newId } = this.#table;
      const shard = Math.floor(random() * shards);
      const [now, id] = [clock.now(), newId()];
      const rowKey = rowKeyOf(now + visibleAfterMs, id);
      const expiresAt = expiryOf(now, timeToLiveMs);
      const message = { id, text, generation, insertedAt: now, expiresAt };
      await storage.write(table, insertOf(newRow(partitionOf(queue, shard), rowKey, message)), request);
      if (visibleAfterMs === 0) storage.signals?.announce(this.#signalOf(queue));
      return {
        id,
        receipt: receiptOf(shard, rowKey, id),
        insertedAt: new Date(now),
        visibleAt: new Date(now + visibleAfterMs),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      };
    });
  }

  async receive(queue: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]> {
    this.#check(queue, () => checkReceive(options));
    const { max = 1, visibilityMs } = options;
    return this.#in(queue, options, (known, request) => this.#taker.take(known, max, visibilityMs, request));
  }

  async update(queue: string, message: MessageReceipt, options: UpdateOptions): Promise<UpdatedMessage> {
    this.#check(queue, () => {
      checkReceipt(queue, message);
      checkUpdate(options);
      if (options.text !== undefined) checkText(queue, options.text, this.maxTextBytes);
    });
    return this.#in(queue, options, async (_known, request) => {
      const { shard, rowKey } = placeOf(queue, message);
      const { storage, table, clock, newId } = this.#table;
      const partition = partitionOf(queue, shard);
      const row = await storage.get(table, { partitionKey: partition, rowKey }, request);
      if (row === undefined || isExpired(row, clock.now()))
        throw await this.#lost(queue, partition, message.id, request);
      const visibleAt = clock.now() + options.visibilityMs;
      const { text } = options;
      const moved = movedRow(row, rowKeyOf(visibleAt, newId()), text === undefined ? {} : bodyOf(text));
      try {
        await storage.transact(table, [removalOf(row), insertOf(moved)], request);
      } catch (error) {
        if (isRaceLost(error)) throw await this.#lost(queue, partition, message.id, request);
        if (!(await wasStored(this.#table, error, moved, request))) throw error;
      }
      const receipt = receiptOf(shard, moved.RowKey, message.id);
      return { id: message.id, receipt, visibleAt: new Date(visibleAt) };
    });
  }

  async remove(queue: string, message: MessageReceipt, options?: QueueRequestOptions): Promise<void> {
    this.#check(queue, () => {
      checkReceipt(queue, message);
      checkQueueRequest(options);
    });
    await this.#in(queue, options, async (_known, request) => {
      const { shard, rowKey } = placeOf(queue, message);
      const { storage, table } = this.#table;
      const partition = partitionOf(queue, shard);
      try {
        await storage.write(table, removalOf({ PartitionKey: partition, RowKey: rowKey }), request);
      } catch (error) {
        if (isRaceLost(error)) throw await this.#lost(queue, partition, message.id, request);
        throw error;
      }
    });
  }

  async peek(queue: string, options?: PeekOptions): Promise<readonly PeekedMessage[]> {
    this.#check(queue, () => checkPeek(options));
    const max = options?.max ?? 1;
    return this.#in(queue, options, (known, request) => this.#taker.peek(known, max, request));
  }

  async clear(queue: string, options?: QueueRequestOptions): Promise<void> {
    this.#check(queue, () => checkQueueRequest(options));
    await this.#in(queue, options, (known, request) => removeMessages(this.#table, known, request));
  }

  /** Exact while no program writes. Expired messages are not counted. */
  async approximateCount(queue: string, options?: QueueRequestOptions): Promise<number> {
    this.#check(queue, () => checkQueueRequest(options));
    return this.#in(queue, options, async ({ shards }, request) => {
      const now = this.#table.clock.now();
      let count = 0;
      for (let shard = 0; shard < shards; shard++) {
        const query = { filter: rowsOf(partitionOf(queue, shard), afterMessages), select: ["Expires"] };
        for await (const row of rowsWhere(this.#table, query, request)) if (!isExpired(row, now)) count++;
      }
      return count;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The error for an outdated receipt, which depends on whether the message is stored with another one. */
  async #lost(queue: string, partition: string, id: string, request: RequestOptions): Promise<StorageError> {
    const own = compare("eq", "Id", textLiteral(id));
    const filter = allOf([rowsOf(partition), own]) as FilterNode;
    const rows = rowsWhere(this.#table, { filter, top: 1 }, request);
    for await (const row of rows as AsyncIterable<StoredEntity>)
      if (!isExpired(row, this.#table.clock.now())) return queueError("PopReceiptMismatch", queue);
    return queueError("MessageNotFound", queue);
  }

  /** Runs work in a queue that exists. */
  async #in<Result>(
    queue: string,
    options: QueueRequestOptions | undefined,
    work: (known: KnownQueue, request: RequestOptions) => Promise<Result>,
  ): Promise<Result> {
    const request = requestOf(options);
    try {
      return await work(await this.#queues.find(queue, request), request);
    } catch (error) {
      const asked = asQueueError(error, queue);
      if (asked !== error) this.#queues.forget(queue);
      throw asked;
    }
  }

  #check(queue: string, checkRest: () => void): void {
    this.#checkOpen();
    checkQueueName(queue);
    checkRest();
  }

  #checkOpen(): void {
    if (this.#isClosed)
      throw new StorageError("storage.closed", "These queues are closed. Call tableQueues(storage) again.", {
        applied: "no",
      });
  }
}

/** The last time of Edm.DateTime. A message that would expire later does not expire. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function expiryOf(now: number, timeToLiveMs: number | "never"): number | undefined {
  if (timeToLiveMs === "never" || now + timeToLiveMs > lastTime) return undefined;
  return now + timeToLiveMs;
}

/** The options of requests to the table. */
const requestOf = ({ signal, attempt }: QueueRequestOptions = {}): RequestOptions => ({
  ...(signal !== undefined && { signal }),
  ...(attempt !== undefined && { attempt }),
});
