import { type EntityKey, StorageError } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { isMessageRow, markerRow } from "@partita/core/internal";
import type { Delivery, Dispatch, DispatchScope, Release, Work } from "../delivery/work.ts";
import { type OutboxPointer, printMessage } from "../messages/message-text.ts";
import { putMessage } from "../messages/put-message.ts";
import { messageIn, type RowMessage } from "./outbox-row.ts";

/*
 * The row of a message alone decides whether its save was applied. If it exists, the message is processed. If
 * it does not, the worker writes a row with the same key, and the save's transaction is then refused should
 * it still arrive. If a row may still be queried, or a request for it may still be in flight, the row stays
 * for an hour. Then a pointer triggers its delete.
 */

/** How long a row stays closed or marked as processed. Longer than any request is in flight. */
const closedMs = 3_600_000;

/** Attempts to end a message's row. */
const endTries = 3;
const endWaitMs = 100;
/** Delay of the next delivery if a message was processed, but its row could not be ended. */
const endLaterMs = 5_000;

/** Handles messages that point to a row of an outbox. */
export const dispatchOutbox: Dispatch = (message, scope) =>
  "outbox" in message ? new PlaceOfMessage(message.outbox, scope).work() : undefined;

/** The row of a pointer. */
class PlaceOfMessage {
  readonly #pointer: OutboxPointer;
  readonly #scope: DispatchScope;
  readonly #key: EntityKey;

  constructor(pointer: OutboxPointer, scope: DispatchScope) {
    this.#pointer = pointer;
    this.#scope = scope;
    this.#key = { partitionKey: pointer.partition, rowKey: pointer.row };
  }

  async work(): Promise<Work | "nothing to do"> {
    const { state, put, table } = this.#pointer;
    const { storage, signal } = this.#scope;
    const row = await storage.get(table, this.#key, { mayBeStale: false, signal });
    if (row === undefined) {
      // Its only request was answered, so it was processed; or its row was closed long enough.
      if (state !== undefined) return "nothing to do";
      const entity = markerRow(this.#key, "closed");
      const isClosed = await this.#write({ type: "insert", entity }, isThere, signal);
      return isClosed ? this.#removeLater() : this.work();
    }
    if (!isMessageRow(row)) return state === "closed" ? this.#open(row) : this.#removeLater();
    // A repeated put after a lost response: the row contains the number of the pointer that was answered.
    if (put !== undefined && row["Put"] !== put) return "nothing to do";
    return this.#handle(row);
  }

  /** The row was closed long enough. Deletes it, in the version that is not a message. */
  async #open({ "odata.etag": etag = "*" }: StoredEntity): Promise<"nothing to do"> {
    await this.#write({ type: "delete", key: this.#key, etag }, isMissing, this.#scope.signal);
    return "nothing to do";
  }

  /** The work of a stored message. */
  #handle(row: StoredEntity): Work {
    const { message, work, problem } = this.#understood(row);
    const { task, id } = message ?? { task: "unreadable message", id: this.#pointer.row };
    return {
      kind: "outbox",
      name: task,
      id,
      ...(message !== undefined && { text: printMessage({ partita: 1, ...message }) }),
      run: async (delivery) => {
        if (work === undefined) throw problem;
        return (await work.run(delivery)) ?? (await this.#handled(row, delivery.lost));
      },
      isExhausted: (delivery) => work?.isExhausted(delivery) !== false,
      failures: (delivery) => work?.failures(delivery) ?? delivery.deliveries,
      abandon: async (error, delivery) => {
        await work?.abandon?.(error, delivery);
        // An unreadable row stays. The poison queue has the text that points to it.
        if (message !== undefined) await this.#abandon(row, delivery.lost);
      },
    };
  }

  /** The message of a row. If it cannot be processed, the reason. */
  #understood(row: StoredEntity): { message?: RowMessage; work?: Work; problem?: unknown } {
    let message: RowMessage | undefined;
    try {
      message = messageIn(row);
      return { message, work: this.#scope.taskWork(message.task, message.id, message.payload) };
    } catch (problem) {
      return { ...(message && { message }), problem };
    }
  }

  /**
   * The message was processed. Deletes its row, or marks it for an hour if its transaction may still be
   * queried.
   */
  async #handled(row: StoredEntity, lost: AbortSignal): Promise<Release | void> {
    const { clock } = this.#scope;
    for (let tries = 1; ; tries++) {
      try {
        await this.#end(row, lost);
        break;
      } catch {
        if (tries === endTries || lost.aborted) return { againAfterMs: endLaterMs };
        await clock.wait(endWaitMs, lost);
      }
    }
    return this.#pointer.state === "stored" ? undefined : this.#removal();
  }

  /** A worker that stops still ends processed messages, to avoid processing them again. */
  async #end(row: StoredEntity, lost: AbortSignal): Promise<void> {
    const etag = row["odata.etag"] ?? "*";
    const operation: WriteOperation =
      this.#pointer.state === "stored"
        ? { type: "delete", key: this.#key, etag }
        : { type: "replace", entity: markerRow(this.#key, "written"), etag };
    await this.#write(operation, isChanged, lost);
  }

  /** The message is in the poison queue, so its row ends like that of a processed one. */
  async #abandon(row: StoredEntity, lost: AbortSignal): Promise<void> {
    await this.#end(row, lost);
    if (this.#pointer.state === "stored") return;
    const { queues, queue } = this.#scope;
    const { againAfterMs, text } = this.#removal();
    await putMessage(queues, queue, text, { visibleAfterMs: againAfterMs });
  }

  /** Deletes the row in an hour. */
  #removeLater(): Work {
    const removal = this.#removal();
    return {
      kind: "outbox",
      name: "closed place",
      id: this.#pointer.row,
      run: () => Promise.resolve(removal),
      isExhausted: () => false,
      failures: ({ deliveries }: Delivery) => deliveries,
    };
  }

  #removal(): Required<Release> {
    const text = printMessage({ partita: 1, outbox: { ...this.#pointer, state: "closed" } });
    return { againAfterMs: closedMs, text };
  }

  /** Writes one row. `false` if it is refused because the goal is already reached. */
  async #write(
    operation: WriteOperation,
    isDone: (error: StorageError) => boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      await this.#scope.storage.write(this.#pointer.table, operation, { signal });
      return true;
    } catch (error) {
      if (StorageError.is(error) && error.applied === "no" && isDone(error)) return false;
      throw error;
    }
  }
}

const isThere = ({ serviceCode }: StorageError): boolean => serviceCode === "EntityAlreadyExists";
const isMissing = ({ status }: StorageError): boolean => status === 404;
/** Another worker that processed the same message has ended it. */
const isChanged = ({ status }: StorageError): boolean => status === 404 || status === 412;
