import { type EntityKey, StorageError } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { isMessageRow, markerRow } from "@partita/core/internal";
import type { Delivery, Dispatch, DispatchScope, Release, Work } from "../delivery/work.ts";
import { type OutboxPointer, printMessage } from "../messages/message-text.ts";
import { putMessage } from "../messages/put-message.ts";
import { messageIn, type RowMessage } from "./outbox-row.ts";

/*
 * Whether the save of a message was carried out is decided by its row alone. It is there: the message is handled. It is not:
 * the worker closes the place by a row of its own, after which the save's transaction, should it still arrive, is refused.
 * What may be asked for or may still arrive finds a row at the place for an hour; a pointer says when it may go.
 */

/** How long a place stays closed, or shows that its message was handled: longer than any request is on its way. */
const closedMs = 3_600_000;

/** How often the end of a message's row is tried, and how long is waited in between. */
const endTries = 3;
const endWaitMs = 100;
/** When a message is delivered again that was handled, but whose row could not be ended. */
const endLaterMs = 5_000;

/** Understands messages that point to a row of an outbox. */
export const dispatchOutbox: Dispatch = (message, scope) =>
  "outbox" in message ? new PlaceOfMessage(message.outbox, scope).work() : undefined;

/** The place that a pointer names. */
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
      // Its only request was answered, so that it was handled; or its place was closed for long enough.
      if (state !== undefined) return "nothing to do";
      const entity = markerRow(this.#key, "closed");
      const isClosed = await this.#write({ type: "insert", entity }, isThere, signal);
      return isClosed ? this.#removeLater() : this.work();
    }
    if (!isMessageRow(row)) return state === "closed" ? this.#open(row) : this.#removeLater();
    // Of a put whose answer was lost, and that was repeated: the row names the pointer that was answered.
    if (put !== undefined && row["Put"] !== put) return "nothing to do";
    return this.#handle(row);
  }

  /** The place was closed for long enough: its row goes, in the version that is no message. */
  async #open({ "odata.etag": etag = "*" }: StoredEntity): Promise<"nothing to do"> {
    await this.#write({ type: "delete", key: this.#key, etag }, isMissing, this.#scope.signal);
    return "nothing to do";
  }

  /** The work of a message that is stored. */
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
        // What nobody can read stays where it is; the poison queue has the text that points to it.
        if (message !== undefined) await this.#abandon(row, delivery.lost);
      },
    };
  }

  /** What a row asks for; where nobody can do it, why. */
  #understood(row: StoredEntity): { message?: RowMessage; work?: Work; problem?: unknown } {
    let message: RowMessage | undefined;
    try {
      message = messageIn(row);
      return { message, work: this.#scope.taskWork(message.task, message.id, message.payload) };
    } catch (problem) {
      return { ...(message && { message }), problem };
    }
  }

  /** The message was handled: its row goes, or says so for an hour where its transaction may still be asked about. */
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

  /** A worker that stops ends what was handled, so that it is not handled again. */
  async #end(row: StoredEntity, lost: AbortSignal): Promise<void> {
    const etag = row["odata.etag"] ?? "*";
    const operation: WriteOperation =
      this.#pointer.state === "stored"
        ? { type: "delete", key: this.#key, etag }
        : { type: "replace", entity: markerRow(this.#key, "written"), etag };
    await this.#write(operation, isChanged, lost);
  }

  /** The message is in the poison queue: the row goes as that of a handled one. */
  async #abandon(row: StoredEntity, lost: AbortSignal): Promise<void> {
    await this.#end(row, lost);
    if (this.#pointer.state === "stored") return;
    const { queues, queue } = this.#scope;
    const { againAfterMs, text } = this.#removal();
    await putMessage(queues, queue, text, { visibleAfterMs: againAfterMs });
  }

  /** Removes the row at the place in an hour. */
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

  /** Writes one row; false where it is refused for a reason that is as good. */
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
/** Somebody else who handled the same message has ended it. */
const isChanged = ({ status }: StorageError): boolean => status === 404 || status === 412;
