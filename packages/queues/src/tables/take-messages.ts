import type { RequestOptions, StoredEntity, WriteOperation } from "@partita/core/storage";
import { StorageError } from "@partita/core";
import { maxPageSize } from "@partita/core/internal";
import { maxMessages } from "../port/check-queues.ts";
import type { PeekedMessage, ReceivedMessage } from "../port/queue-storage.ts";
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
import { problemOfRow, setAside } from "./set-aside.ts";

/**
 * Lost races of one receive before it returns the messages it has. Each time, another receiver got messages.
 */
const maxLostRaces = 16;

/** Margin for a storage that does not report its clock. Its clock may differ from ours by this time. */
const clockMarginMs = 24 * 60 * 60 * 1000;

/** Receivers of this process in one partition. */
interface Line {
  /** Total number of messages that they want. */
  asked: number;
  /** RowKeys that they are claiming now. Other receivers of this process skip them. */
  readonly claimed: Set<string>;
}

/** The result of one claim. */
interface Claim {
  /** Undefined if another receiver was first. */
  readonly rows: readonly StoredEntity[] | undefined;
  /** Whether the partition had no more messages for this receiver. */
  readonly isLast: boolean;
}

/** Finds visible messages, and claims them for their receivers. */
export class MessageTaker {
  readonly #table: QueueTable;
  readonly #lines = new Map<string, Line>();

  constructor(table: QueueTable) {
    this.#table = table;
  }

  /**
   * Claims visible messages, shard by shard in random order. A claim that lost a race is retried with half as
   * many in another shard. An error ends it, but the messages claimed before are still returned, because no
   * other receiver would see them.
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
        const shard = shards.shift();
        if (shard === undefined) break;
        const wanted = Math.min(most, max - taken.length);
        const partition = partitionOf(queue.name, shard);
        const { rows, isLast } = await this.#takeFrom(partition, { wanted, lost, visibilityMs }, request);
        if (rows === undefined) most = Math.max(1, Math.floor(most / 2));
        if (rows === undefined || (rows.length === 0 && !isLast)) lost++;
        if (!isLast) shards.push(shard);
        for (const row of rows ?? []) taken.push(receivedMessage(row, shard));
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

  /**
   * Claims rows of one partition. Receivers of this process get different rows. After a lost race, they skip
   * the first rows.
   */
  async #takeFrom(
    partition: string,
    { wanted, lost, visibilityMs }: { wanted: number; lost: number; visibilityMs: number },
    request: RequestOptions,
  ): Promise<Claim> {
    const line = this.#lines.get(partition) ?? { asked: 0, claimed: new Set() };
    this.#lines.set(partition, line);
    line.asked += wanted;
    let chosen: readonly StoredEntity[] = [];
    try {
      const most = line.asked + (lost > 0 ? maxMessages : 0);
      const visible = await this.#visible(partition, most, request);
      const free = visible.filter(({ RowKey }) => !line.claimed.has(RowKey));
      const spare = Math.max(0, free.length - wanted);
      const start = lost > 0 ? Math.floor(this.#table.random() * (spare + 1)) : 0;
      chosen = free.slice(start, start + wanted);
      for (const { RowKey } of chosen) line.claimed.add(RowKey);
      const rows = chosen.length === 0 ? [] : await this.#claim(chosen, visibilityMs, request);
      // After a lost race, all but one of the rows may still be visible.
      return { rows, isLast: rows !== undefined && chosen.length < wanted && visible.length < most };
    } finally {
      for (const { RowKey } of chosen) line.claimed.delete(RowKey);
      line.asked -= wanted;
      if (line.asked === 0) this.#lines.delete(partition);
    }
  }

  /**
   * Moves rows to new keys, atomically. 32 messages of 64 KiB make a request of 2.8 MiB, which fits into one
   * transaction.
   *
   * @returns undefined if another receiver was first
   */
  async #claim(
    rows: readonly StoredEntity[],
    visibilityMs: number,
    request: RequestOptions,
  ): Promise<readonly StoredEntity[] | undefined> {
    const { storage, table, clock, newId } = this.#table;
    const visibleAt = clock.now() + visibilityMs;
    const moved = rows.map((row) =>
      movedRow(row, rowKeyOf(visibleAt, newId()), { Count: deliveriesOf(row) + 1 }),
    );
    try {
      await storage.transact(table, [...rows.map(removalOf), ...moved.map(insertOf)], request);
      return moved;
    } catch (error) {
      if (isRaceLost(error)) return undefined;
      // The transaction is atomic, so one new row is enough evidence.
      if (await wasStored(this.#table, error, moved[0] as StoredEntity, request)) return moved;
      throw error;
    }
  }

  /**
   * Visible messages in order of time. Expired ones are deleted on the way, and rows that are not messages
   * are set aside.
   */
  async #visible(partition: string, wanted: number, request: RequestOptions): Promise<StoredEntity[]> {
    const now = this.#table.clock.now();
    const query = { filter: rowsOf(partition, visibleFrom(now + 1)), top: Math.min(wanted, maxPageSize) };
    const rows: StoredEntity[] = [];
    const expired: StoredEntity[] = [];
    for await (const row of rowsWhere(this.#table, query, request)) {
      const problem = problemOfRow(row);
      if (problem !== undefined) await setAside(this.#table, row, problem, request);
      else (isExpired(row, now) ? expired : rows).push(row);
      // Avoids a request for the next page.
      if (rows.length === wanted) break;
    }
    if (expired.length > 0) await this.#removeExpired(expired, now, request);
    return this.#table.storage.isUnordered === true ? rows.toSorted(byRowKey) : rows;
  }

  /**
   * If our clock is wrong, an expired message may still be valid, so the storage's clock must agree before it
   * is deleted.
   */
  async #removeExpired(rows: readonly StoredEntity[], now: number, request: RequestOptions): Promise<void> {
    const storeTime = this.#table.storage.reachedTime?.() ?? now - clockMarginMs;
    const gone = rows.filter((row) => isExpired(row, Math.min(now, storeTime)));
    // Rows that remain are not returned either, and are found again later.
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

/**
 * Whether a write with a lost response was applied, checked by the row that it created. `false` if the row
 * cannot be read.
 */
export async function wasStored(
  { storage, table }: QueueTable,
  error: unknown,
  { PartitionKey: partitionKey, RowKey: rowKey }: StoredEntity,
  request: RequestOptions,
): Promise<boolean> {
  if (!StorageError.is(error) || error.applied === "no" || request.signal?.aborted === true) return false;
  const read = storage.get(table, { partitionKey, rowKey }, { ...request, mayBeStale: false });
  return (await read.catch(() => undefined)) !== undefined;
}

export const isExpired = (row: StoredEntity, now: number): boolean =>
  (expiresAtOf(row) ?? Number.POSITIVE_INFINITY) <= now;

export const insertOf = (entity: StoredEntity): WriteOperation => ({ type: "insert", entity });

const byRowKey = (a: StoredEntity, b: StoredEntity): number =>
  a.RowKey < b.RowKey ? -1 : a.RowKey > b.RowKey ? 1 : 0;
