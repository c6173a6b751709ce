import type { EntityKey, StoredEntity, StoredValue } from "../../values/edm/stored-entity.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";

/*
 * A message that is sent with an entity's change is a row of its own, inserted in the same transaction. A worker has
 * to find that row, so its position is announced before the transaction is sent, and its outcome afterwards.
 */

/** The position of a message's row. */
export interface OutboxPlace extends EntityKey {
  readonly table: string;
}

/** A message that is stored in the transaction of an entity's change. */
export interface OutboxMessage {
  /** The properties of its row. */
  readonly properties: Readonly<Record<string, StoredValue>>;
  /** The size of its properties as JSON, in bytes. */
  readonly bytes: number;
  /**
   * Announces where the row will be, before the save sends anything. If this fails, nothing is sent.
   *
   * @param attempt - the number of this attempt, starting from 1; an earlier one may have been applied
   */
  announce(
    place: OutboxPlace,
    attempt: number,
    options: Pick<RequestOptions, "signal">,
  ): Promise<OutboxAnnouncement>;
}

/** An announced message, which is then notified of the outcome of its row. */
export interface OutboxAnnouncement {
  /** Properties of the row in addition to the message's own. */
  readonly properties?: Readonly<Record<string, StoredValue>>;
  /** Called once when the transaction has ended; it is awaited, and its errors are ignored. */
  end(outcome: OutboxOutcome): Promise<void>;
}

/**
 * The outcome of a message's row.
 *
 * - `stored`: by one request, and no other one can store it again.
 * - `proved`: stored; a request with a lost response may still arrive, and must find a row under the key.
 * - `refused`: not stored, and no request that may still arrive would store it.
 * - `in doubt`: anything else, such as a key that was closed and accepts no row.
 */
export type OutboxOutcome = "stored" | "proved" | "refused" | "in doubt";

/** A message after its position was announced. */
export interface AnnouncedMessage {
  readonly message: OutboxMessage;
  readonly row: StoredEntity;
  readonly announcement: OutboxAnnouncement;
  /** Whether its announcement is too old for its row to be stored. */
  readonly isOutdated: () => boolean;
}

/** Shared by all entities without messages. */
export const noMessages: readonly OutboxMessage[] = [];
