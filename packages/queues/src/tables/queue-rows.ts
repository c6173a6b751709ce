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

/** A queue as its own row describes it. */
export interface KnownQueue {
  readonly name: string;
  readonly shards: number;
  /** Of this queue, and of no other one of its name. */
  readonly generation: string;
}

/** Partitions of a queue at most. */
export const maxShards = 64;

/** How long a queue is taken to exist after its row was read. */
const knownForMs = 10_000;

/** The partition of the rows of queues; that of a shard has another character after the queue's name. */
const queuesPartition = "queues";

/** The queues' own rows: which queues there are, and over how many partitions the messages of each are spread. */
export class QueueRows {
  readonly #table: QueueTable;
  readonly #known = new Map<string, { readonly queue: KnownQueue; readonly until: number }>();
  #deletions = 0;

  constructor(table: QueueTable) {
    this.#table = table;
  }

  /** A queue that exists, or did until a short time ago. @throws StorageError `storage.queue-not-found` */
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
    if (deletions === this.#deletions) this.#known.set(name, { queue, until: now + knownForMs });
    return queue;
  }

  /** Lets the row of a queue be read before it is taken to exist again. */
  forget(name: string): void {
    this.#deletions++;
    this.#known.delete(name);
  }

  /** Makes a queue unless there is one; ends a deletion that stopped on its way. */
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
    // Those who read the row between our reading and the mark.
    this.forget(name);
    try {
      await this.#endDeletion(row, request);
    } catch (error) {
      throw StorageError.is(error) ? error.asMaybeApplied() : error;
    }
  }

  /** Names, in order. */
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

  /** Whether it was inserted; false where there is one. */
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

  /** From now on nobody who reads the row puts or receives. */
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

  /** Removes the messages of a queue that is marked as deleted, and then its row, unless it is another queue's by now. */
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

/** Rows that are read before they are removed. */
const removedAtOnce = 1000;

/** Removes the messages of a queue: all, or those that a filter is true for. Messages that move meanwhile are met again. */
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

/** The queue that a row describes. @throws StorageError `queue.row` for a row that another program wrote or changed */
function knownQueue(row: StoredEntity): KnownQueue {
  const { RowKey: name, Shards: shards, Generation: generation } = row;
  if (isQueueRow(row)) return { name, shards: shards as number, generation: generation as string };
  throw new StorageError(
    "queue.row",
    `The row of queue "${name}" is not as Partita writes it: Shards is a whole number from 1 to ${maxShards}, and Generation a text. Another program wrote or changed it: correct it, or delete the row with the PartitionKey "${queuesPartition}" and this RowKey.`,
    { applied: "no" },
  );
}

const isQueueRow = ({ Shards: shards, Generation: generation }: StoredEntity): boolean =>
  typeof shards === "number" &&
  Number.isInteger(shards) &&
  shards >= 1 &&
  shards <= maxShards &&
  typeof generation === "string";

/** Lets one refusal pass. */
const unless =
  (code: string) =>
  (error: unknown): void => {
    if (!(StorageError.is(error) && error.serviceCode === code)) throw error;
  };
