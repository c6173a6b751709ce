import type { Clock } from "@partita/core/storage";
import { monotonicTime } from "@partita/core/internal";
import { isMessageLost, type MessageReceipt, type QueueStorage } from "@partita/queues";

/** What a lease is of. */
export interface LeasedMessage {
  readonly queues: QueueStorage;
  readonly queue: string;
  readonly message: MessageReceipt;
  readonly visibilityMs: number;
  readonly clock: Clock;
  /** When the request was sent that received it, by `monotonicTime(clock)`. */
  readonly sentAt: number;
}

/** Part of the time without a renewal after which a message counts as lost: others may receive it at the end of it. */
const heldPart = 0.75;

/**
 * A message that nobody else receives while it is renewed, each third of its time. It counts as lost once it was not
 * renewed for three quarters of it, counted from when the last request that succeeded was sent.
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

  /** Stops renewing, and gives the receipt by which the message is removed or released. */
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
      // A renewal that failed is tried again soon.
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

  /** Notices that the time is over while a renewal is on its way, or while the work itself waits. */
  async #watch(): Promise<void> {
    const { clock } = this.#leased;
    const { signal } = this.#over;
    while (!signal.aborted && this.isHeld)
      await clock.wait(this.#heldUntil - monotonicTime(clock), AbortSignal.any([signal, this.lost]));
  }
}
