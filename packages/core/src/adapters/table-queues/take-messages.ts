import type { StoredEntity } from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import { maxPageSize } from "../../storage/limits.ts";
import { maxMessages } from "../../storage/queues/check-queues.ts";
import type { PeekedMessage, ReceivedMessage } from "../../storage/queues/queue-storage.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import {
  deliveriesOf,
  expiresAtOf,
  movedRow,
  partitionOf,
  peekedMessage,
  receivedMessage,
  rowKeyOf,
  visibleFrom,
} from "./message-row.ts";
import type { KnownQueue } from "./queue-rows.ts";
import { isRaceLost, type QueueTable, removalOf, removeTogether, rowsOf, rowsWhere } from "./queue-table.ts";

/** Races that one receive loses before it returns what it has; somebody else got messages each time. */
const maxLostRaces = 16;

/** A store that does not show its clock may have another time than ours: this much later, it is past it as well. */
const clockMarginMs = 24 * 60 * 60 * 1000;

/** Finds visible messages, and claims them for their receivers. */
export class MessageTaker {
  readonly #table: QueueTable;
  /** What receivers of this process claim just now, by partition: the others leave it alone. */
  readonly #claimed = new Map<string, Set<string>>();

  constructor(table: QueueTable) {
    this.#table = table;
  }

  /**
   * Claims visible messages, shard by shard in random order. A claim that lost a race is tried again with half as many,
   * elsewhere. An error ends it; what was claimed by then is returned all the same, since nobody else would see it.
   */
  async take(
    queue: KnownQueue,
    max: number,
    visibilityMs: number,
    request: RequestOptions,
  ): Promise<readonly ReceivedMessage[]> {
    const taken: ReceivedMessage[] = [];
    const shards = this.#shuffledShards(queue);
    let most = max;
    try {
      for (let lost = 0; lost < maxLostRaces && taken.length < max;) {
        const [shard] = shards;
        if (shard === undefined) break;
        const wanted = Math.min(most, max - taken.length);
        const partition = partitionOf(queue.name, shard);
        const rows = await this.#choose(partition, wanted, lost, request);
        if (rows.length < wanted) shards.shift();
        const claimed = await this.#claim(partition, rows, visibilityMs, request);
        if (claimed === undefined) {
          lost++;
          most = Math.max(1, Math.floor(most / 2));
          if (rows.length === wanted) shards.shift();
          shards.push(shard);
        } else taken.push(...claimed.map((row) => receivedMessage(row, shard)));
      }
    } catch (error) {
      if (taken.length === 0) throw error;
    }
    return taken;
  }

  /** Visible messages, of shards in random order. */
  async peek(queue: KnownQueue, max: number, request: RequestOptions): Promise<readonly PeekedMessage[]> {
    const rows: StoredEntity[] = [];
    for (const shard of this.#shuffledShards(queue)) {
      if (rows.length === max) break;
      rows.push(...(await this.#visible(partitionOf(queue.name, shard), max - rows.length, request)));
    }
    return rows.map(peekedMessage);
  }

  /** Rows to claim, which are this receiver's until its claim is decided. After a lost race, not the very first ones. */
  async #choose(
    partition: string,
    wanted: number,
    lost: number,
    request: RequestOptions,
  ): Promise<readonly StoredEntity[]> {
    const spare = (this.#claimed.get(partition)?.size ?? 0) + (lost > 0 ? maxMessages : 0);
    const visible = await this.#visible(partition, wanted + spare, request);
    // Read again: others have claimed meanwhile.
    const claimed = this.#claimed.get(partition) ?? new Set();
    const free = visible.filter((row) => !claimed.has(row.RowKey));
    const start = lost > 0 ? Math.floor(this.#table.random() * (free.length - wanted + 1)) : 0;
    const chosen = free.slice(Math.max(0, start), Math.max(0, start) + wanted);
    for (const { RowKey } of chosen) claimed.add(RowKey);
    if (chosen.length > 0) this.#claimed.set(partition, claimed);
    return chosen;
  }

  /**
   * Moves rows to new keys, all or none: 32 messages of 64 KiB are 2.8 MiB as they are sent, and fit into one transaction.
   *
   * @returns undefined when somebody else was first
   */
  async #claim(
    partition: string,
    rows: readonly StoredEntity[],
    visibilityMs: number,
    request: RequestOptions,
  ): Promise<readonly StoredEntity[] | undefined> {
    const { storage, table, clock, newId } = this.#table;
    const visibleAt = clock.now() + visibilityMs;
    const moved = rows.map((row) =>
      movedRow(row, rowKeyOf(visibleAt, newId()), { Count: deliveriesOf(row) + 1 }),
    );
    const [first] = moved;
    if (first === undefined) return [];
    try {
      await storage.transact(table, [...rows.map(removalOf), ...moved.map(insertOf)], request);
      return moved;
    } catch (error) {
      if (isRaceLost(error)) return undefined;
      // All or none: one new row shows it for all.
      if (await wasStored(this.#table, error, first, request)) return moved;
      throw error;
    } finally {
      const claimed = this.#claimed.get(partition);
      for (const { RowKey } of rows) claimed?.delete(RowKey);
      if (claimed?.size === 0) this.#claimed.delete(partition);
    }
  }

  /** Visible rows that have not expired, in order of time; expired ones on the way are removed. */
  async #visible(partition: string, wanted: number, request: RequestOptions): Promise<StoredEntity[]> {
    const now = this.#table.clock.now();
    const query = { filter: rowsOf(partition, visibleFrom(now + 1)), top: Math.min(wanted, maxPageSize) };
    const rows: StoredEntity[] = [];
    const expired: StoredEntity[] = [];
    for await (const row of rowsWhere(this.#table, query, request)) {
      if (rows.length === wanted) break;
      (isExpired(row, now) ? expired : rows).push(row);
    }
    if (expired.length > 0) await this.#removeExpired(expired, now, request);
    return this.#table.storage.isUnordered === true ? rows.toSorted(byRowKey) : rows;
  }

  /** Where our clock is wrong, an expired message may be none: the store's clock has to agree before it is removed. */
  async #removeExpired(rows: readonly StoredEntity[], now: number, request: RequestOptions): Promise<void> {
    const storeTime = this.#table.storage.reachedTime?.() ?? now - clockMarginMs;
    const gone = rows.filter((row) => isExpired(row, Math.min(now, storeTime)));
    // What stays is not shown either, and met again.
    if (gone.length > 0) await removeTogether(this.#table, gone, request).catch(() => undefined);
  }

  #shuffledShards({ shards }: KnownQueue): number[] {
    const order = Array.from({ length: shards }, (_, shard) => shard);
    for (let i = shards - 1; i > 0; i--) {
      const other = Math.floor(this.#table.random() * (i + 1));
      [order[i], order[other]] = [order[other] as number, order[i] as number];
    }
    return order;
  }
}

/** Whether a write without an answer was carried out, as the row that it made shows. False where that cannot be read. */
export async function wasStored(
  { storage, table }: QueueTable,
  error: unknown,
  { PartitionKey: partitionKey, RowKey: rowKey }: StoredEntity,
  request: RequestOptions,
): Promise<boolean> {
  if (!(error instanceof StorageError) || error.applied === "no" || request.signal?.aborted === true)
    return false;
  const read = storage.get(table, { partitionKey, rowKey }, { ...request, mayBeStale: false });
  return (await read.catch(() => undefined)) !== undefined;
}

export const isExpired = (row: StoredEntity, now: number): boolean =>
  (expiresAtOf(row) ?? Number.POSITIVE_INFINITY) <= now;

export const insertOf = (entity: StoredEntity): WriteOperation => ({ type: "insert", entity });

const byRowKey = (a: StoredEntity, b: StoredEntity): number =>
  a.RowKey < b.RowKey ? -1 : a.RowKey > b.RowKey ? 1 : 0;
