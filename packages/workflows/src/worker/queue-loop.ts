import { monotonicTime } from "@partita/core/internal";
import type { ReceivedMessage } from "@partita/queues";
import { isQueueMissing } from "../messages/put-message.ts";
import { type HandlingSource, MessageHandling } from "./message-handling.ts";

/** How long an empty queue is left alone: doubled each time that it is empty again. */
const firstIdleMs = 100;
const longestIdleMs = 5_000;

/** How long a queue that cannot be reached is left alone, doubled with each failure. */
const firstOutageMs = 250;
const longestOutageMs = 30_000;

/** Most messages of one receive. Source: learn.microsoft.com "Get Messages". */
const mostReceived = 32;

/** Receives and handles the messages of one queue until the worker stops. */
export class QueueLoop {
  readonly #source: HandlingSource;
  readonly #queue: string;
  readonly #concurrency: number;
  readonly #handled = new Set<Promise<void>>();
  /** Those who wait until the queue is found empty. */
  readonly #waiting = new Set<() => void>();
  /** Ends the wait of an idle loop. */
  #wake = new AbortController();
  #isCreated = false;
  #failures = 0;
  #idleMs = firstIdleMs;
  /** How many times the queue was asked. */
  #polls = 0;
  #lastEmptyPoll = 0;
  /** Messages that were received so far. */
  received = 0;
  /** Resolves when the worker was stopped and nothing is being handled. */
  readonly ended: Promise<void>;

  constructor(source: HandlingSource, queue: string, concurrency: number) {
    this.#source = source;
    this.#queue = queue;
    this.#concurrency = concurrency;
    this.ended = this.#run();
  }

  /** Resolves when the queue was asked, from now on, while nothing of it was being handled, and was found empty; or when the worker stopped. */
  async foundEmpty(): Promise<void> {
    const from = this.#polls;
    while (this.#lastEmptyPoll <= from && !this.#source.stopping.aborted)
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        this.#wake.abort();
      });
  }

  async #run(): Promise<void> {
    const { stopping } = this.#source;
    while (!stopping.aborted) await this.#turn();
    await Promise.all(this.#handled);
    this.#notify();
  }

  async #turn(): Promise<void> {
    const free = this.#concurrency - this.#handled.size;
    if (free === 0) {
      await Promise.race(this.#handled);
      return;
    }
    const { clock } = this.#source;
    const poll = ++this.#polls;
    const isQuiet = this.#handled.size === 0;
    const sentAt = monotonicTime(clock);
    const messages = await this.#receive(Math.min(free, mostReceived));
    if (messages === undefined) return;
    for (const message of messages) this.#handle(message, sentAt);
    this.received += messages.length;
    if (messages.length > 0) this.#idleMs = firstIdleMs;
    else await this.#idle(isQuiet ? poll : 0);
  }

  async #idle(emptyPoll: number): Promise<void> {
    if (emptyPoll > 0) {
      this.#lastEmptyPoll = emptyPoll;
      this.#notify();
    }
    await this.#wait(this.#idleMs);
    this.#idleMs = Math.min(2 * this.#idleMs, longestIdleMs);
  }

  #notify(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #wait(ms: number): Promise<void> {
    const { clock, stopping } = this.#source;
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    await clock.wait(ms, AbortSignal.any([stopping, this.#wake.signal]));
  }

  /** @returns undefined where the queue could not be asked */
  async #receive(max: number): Promise<readonly ReceivedMessage[] | undefined> {
    const { queues, visibilityMs, report } = this.#source;
    const queue = this.#queue;
    try {
      if (!this.#isCreated) await queues.createQueue(queue);
      this.#isCreated = true;
      // A worker that stops does not cancel it: what a lost answer had taken would be invisible for its time.
      const messages = await queues.receive(queue, { max, visibilityMs });
      if (this.#failures > 0) report({ type: "recovered", queue });
      this.#failures = 0;
      return messages;
    } catch (error) {
      if (isQueueMissing(error)) this.#isCreated = false;
      const againAfterMs = Math.min(firstOutageMs * 2 ** this.#failures, longestOutageMs);
      report({ type: "outage", queue, error, failures: ++this.#failures, againAfterMs });
      await this.#wait(againAfterMs);
      return undefined;
    }
  }

  #handle(message: ReceivedMessage, sentAt: number): void {
    const handled = new MessageHandling(this.#source, this.#queue, message, sentAt).run().finally(() => {
      this.#handled.delete(handled);
      if (this.#waiting.size > 0) this.#wake.abort();
    });
    this.#handled.add(handled);
  }
}
