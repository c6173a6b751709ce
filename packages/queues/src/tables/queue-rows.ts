import { type EntityKey, StorageError } from "@partita/core";
import type { FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import { monotonicTime } from "@partita/core/internal";
import { queueError } from "../port/queue-errors.ts";
import { partitionOf } from "./message-row.ts";
import {
  isMissingTable,
  isRaceLost,
  type QueueTable,
  removeTogether,
  rowsOf,
  rowsWhere,
} from "./queue-table.ts";

/** A queue, from its own row. */
export interface KnownQueue {
  readonly name: string;
  readonly shards: number;
  /** Identifies this queue among all queues with its name. */
  readonly generation: string;
}

/** Maximum partitions of a queue. */
export const maxShards = 64;

/**
 * The partition of the queues' own rows. Partitions of shards have another character after the queue's name.
 */
const queuesPartition = "queues";

/** The queues' own rows: the existing queues, and the number of partitions of each. */
export class QueueRows {
  readonly #table: QueueTable;
  readonly #cacheMs: number;
  readonly #known = new Map<string, { readonly queue: KnownQueue; readonly until: number }>();
  #deletions = 0;

  /** @param cacheMs - how long the row of a queue is cached */
  constructor(table: QueueTable, cacheMs: number) {
    this.#table = table;
    this.#cacheMs = cacheMs;
  }

  /** A queue that exists, or existed a short time ago. @throws StorageError `storage.queue-not-found` */
  async find(name: string, request: RequestOptions): Promise<KnownQueue> {
    const known = this.#known.get(name);
    const now = monotonicTime(this.#table.clock);
    if (known !== undefined && now < known.until) return known.queue;
    const deletions = this.#deletions;
    const row = await this.#read(name, request);
    if (row === undefined || isDeleted(row)) {
      this.forget(name);
      throw queueError("QueueNotFound", name);
    }
    const queue = knownQueue(row);
    if (deletions === this.#deletions && this.#cacheMs > 0)
      this.#known.set(name, { queue, until: now + this.#cacheMs });
    return queue;
  }

  /** Removes a queue from the cache. */
  forget(name: string): void {
    this.#deletions++;
    this.#known.delete(name);
  }

  /** Creates a queue if it does not exist, and completes a deletion that was interrupted. */
  async create(name: string, shards: number, request: RequestOptions): Promise<void> {
    while (!(await this.#insert(name, shards, request))) {
      const row = await this.#read(name, request);
      if (row !== undefined && !isDeleted(row)) return;
      if (row !== undefined) await this.#endDeletion(row, request);
    }
  }

  /** @throws StorageError `storage.queue-not-found` */
  async delete(name: string, request: RequestOptions): Promise<void> {
    this.forget(name);
    const row = await this.#markDeleted(name, request);
    // The row may have been cached between the read and the mark.
    this.forget(name);
    try {
      await this.#endDeletion(row, request);
    } catch (error) {
      throw StorageError.is(error) ? error.asMaybeApplied() : error;
    }
  }

  /** The names of the queues, sorted. */
  async list(request: RequestOptions): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const row of rowsWhere(this.#table, { filter: rowsOf(queuesPartition) }, request))
        if (!isDeleted(row) && isQueueRow(row)) names.push(row.RowKey);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
    }
    return names.toSorted();
  }

  /** Whether it was inserted. `false` if it exists. */
  async #insert(name: string, shards: number, request: RequestOptions): Promise<boolean> {
    const { storage, table, newId } = this.#table;
    const entity = { PartitionKey: queuesPartition, RowKey: name, Shards: shards, Generation: newId() };
    const insert = (): Promise<unknown> => storage.write(table, { type: "insert", entity }, request);
    try {
      await insert().catch(async (error: unknown) => {
        if (!isMissingTable(error)) throw error;
        await storage.createTable(table, request).catch(unless("TableAlreadyExists"));
        await insert();
      });
      return true;
    } catch (error) {
      unless("EntityAlreadyExists")(error);
      return false;
    }
  }

  /** From now on, programs that read the row neither put nor receive. */
  async #markDeleted(name: string, request: RequestOptions): Promise<StoredEntity> {
    const { storage, table } = this.#table;
    for (;;) {
      const row = await this.#read(name, request);
      if (row === undefined) throw queueError("QueueNotFound", name);
      if (isDeleted(row)) return row;
      const entity = { ...keyMembers(row), IsDeleted: true };
      try {
        await storage.write(table, { type: "merge", entity, etag: row["odata.etag"] ?? "*" }, request);
        return row;
      } catch (error) {
        if (!isRaceLost(error)) throw error;
      }
    }
  }

  /**
   * Removes the messages of a queue that is marked as deleted, and then its row, unless the row already
   * belongs to a new queue.
   */
  async #endDeletion(row: StoredEntity, request: RequestOptions): Promise<void> {
    const queue = knownQueue(row);
    await removeMessages(this.#table, queue, request, ofGeneration(queue.generation));
    const current = await this.#read(queue.name, request);
    if (current?.["Generation"] !== queue.generation) return;
    const { storage, table } = this.#table;
    const etag = current["odata.etag"] ?? "*";
    try {
      await storage.write(table, { type: "delete", key: keyOf(queue.name), etag }, request);
    } catch (error) {
      if (!isRaceLost(error)) throw error;
    }
  }

  async #read(name: string, request: RequestOptions): Promise<StoredEntity | undefined> {
    try {
      return await this.#table.storage.get(this.#table.table, keyOf(name), request);
    } catch (error) {
      if (isMissingTable(error)) return undefined;
      throw error;
    }
  }
}

/** Rows to read before they are deleted. */
const removedAtOnce = 1000;

/**
 * Removes the messages of a queue: all, or those that match a filter. Messages that are received meanwhile
 * are found again under their new key.
 */
export async function removeMessages(
  table: QueueTable,
  { name, shards }: KnownQueue,
  request: RequestOptions,
  filter?: FilterNode,
): Promise<void> {
  for (let shard = 0; shard < shards; shard++) {
    const own = rowsOf(partitionOf(name, shard));
    const query = { filter: filter === undefined ? own : (allOf([own, filter]) as FilterNode) };
    for (let isMoving = true; isMoving;) {
      isMoving = false;
      let rows: StoredEntity[] = [];
      const remove = async (): Promise<void> => {
        if ((await removeTogether(table, rows, request)) < rows.length) isMoving = true;
        rows = [];
      };
      for await (const row of rowsWhere(table, { ...query, select: ["Id"] }, request)) {
        rows.push(row);
        if (rows.length === removedAtOnce) await remove();
      }
      await remove();
    }
  }
}

const ofGeneration = (generation: string): FilterNode => compare("eq", "Queue", textLiteral(generation));

const keyOf = (name: string): EntityKey => ({ partitionKey: queuesPartition, rowKey: name });

const keyMembers = ({ PartitionKey, RowKey }: StoredEntity): StoredEntity => ({ PartitionKey, RowKey });

const isDeleted = (row: StoredEntity): boolean => row["IsDeleted"] === true;

/** The queue of a row. @throws StorageError `queue.row` if another program wrote or changed the row */
function knownQueue(row: StoredEntity): KnownQueue {
  const { RowKey: name, Shards: shards, Generation: generation } = row;
  if (isQueueRow(row)) return { name, shards: shards as number, generation: generation as string };
  throw new StorageError(
    "queue.row",
    `The row of queue "${name}" is invalid: Shards must be a whole number from 1 to ${maxShards}, and Generation a text. Another program wrote or changed it. Correct it, or delete the row with the PartitionKey "${queuesPartition}" and this RowKey.`,
    { applied: "no" },
  );
}

const isQueueRow = ({ Shards: shards, Generation: generation }: StoredEntity): boolean =>
  typeof shards === "number" &&
  Number.isInteger(shards) &&
  shards >= 1 &&
  shards <= maxShards &&
  typeof generation === "string";

/** Ignores one kind of refusal. */
const unless =
  (code: string) =>
  (error: unknown): void => {
    if (!(StorageError.is(error) && error.serviceCode === code)) throw error;
  };
