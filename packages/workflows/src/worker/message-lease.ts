import type { Clock } from "@partita/core/storage";
import { monotonicTime } from "@partita/core/internal";
import { isMessageLost, type MessageReceipt, type QueueStorage } from "@partita/queues";

/** The message of a lease. */
export interface LeasedMessage {
  readonly queues: QueueStorage;
  readonly queue: string;
  readonly message: MessageReceipt;
  readonly visibilityMs: number;
  readonly clock: Clock;
  /** When the receive request was sent, by `monotonicTime(clock)`. */
  readonly sentAt: number;
}

/**
 * Part of the visibility timeout without a renewal after which a message counts as lost. Other workers may
 * receive it at the end.
 */
const heldPart = 0.75;

/**
 * Keeps a message invisible to other workers by renewing it each third of its visibility timeout. It counts
 * as lost if it was not renewed for three quarters of the timeout, counted from the time when the last
 * successful request was sent.
 */
export class MessageLease {
  readonly #leased: LeasedMessage;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();
  readonly #renewing: Promise<void>;
  #receipt: MessageReceipt;
  #heldUntil: number;

  constructor(leased: LeasedMessage) {
    this.#leased = leased;
    this.#receipt = leased.message;
    this.#heldUntil = leased.sentAt + heldPart * leased.visibilityMs;
    this.#renewing = this.#renewAll();
    void this.#watch();
  }

  /** Aborted when the message counts as lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isHeld(): boolean {
    if (!this.lost.aborted && monotonicTime(this.#leased.clock) >= this.#heldUntil) this.#lost.abort();
    return !this.lost.aborted;
  }

  /** Stops renewing, and returns the receipt for removing or releasing the message. */
  async end(): Promise<MessageReceipt> {
    this.#over.abort();
    await this.#renewing;
    return this.#receipt;
  }

  async #renewAll(): Promise<void> {
    const { clock, visibilityMs } = this.#leased;
    const { signal } = this.#over;
    let waitMs = visibilityMs / 3;
    for (;;) {
      await clock.wait(waitMs, signal);
      if (signal.aborted || !this.isHeld) return;
      // A failed renewal is retried soon.
      waitMs = (await this.#renew()) ? visibilityMs / 3 : visibilityMs / 20;
    }
  }

  async #renew(): Promise<boolean> {
    const { queues, queue, visibilityMs, clock } = this.#leased;
    const sentAt = monotonicTime(clock);
    try {
      this.#receipt = await queues.update(queue, this.#receipt, { visibilityMs, signal: this.lost });
      this.#heldUntil = sentAt + heldPart * visibilityMs;
      return true;
    } catch (error) {
      if (isMessageLost(error)) this.#lost.abort();
      return false;
    }
  }

  /** Detects the end of the timeout during a pending renewal, or while the work itself waits. */
  async #watch(): Promise<void> {
    const { clock } = this.#leased;
    const { signal } = this.#over;
    while (!signal.aborted && this.isHeld)
      await clock.wait(this.#heldUntil - monotonicTime(clock), AbortSignal.any([signal, this.lost]));
  }
}
