import { monotonicTime } from "@partita/core/internal";
import type { ReceivedMessage } from "@partita/queues";
import { isQueueMissing } from "../messages/put-message.ts";
import { type HandlingSource, MessageHandling } from "./message-handling.ts";

/** First delay after a queue is found empty. It doubles each time. */
const firstIdleMs = 100;
const longestIdleMs = 5_000;

/** First delay after a queue cannot be reached. It doubles with each failure. */
const firstOutageMs = 250;
const longestOutageMs = 30_000;

/** Maximum messages of one receive. Source: learn.microsoft.com "Get Messages". */
const mostReceived = 32;

/** Receives and processes the messages of one queue until the worker stops. */
export class QueueLoop {
  readonly #source: HandlingSource;
  readonly #queue: string;
  readonly #concurrency: number;
  readonly #handled = new Set<Promise<void>>();
  /** Callers that wait until the queue is found empty. */
  readonly #waiting = new Set<() => void>();
  /** Ends the wait of an idle loop. */
  #wake = new AbortController();
  #isCreated = false;
  #failures = 0;
  #idleMs = firstIdleMs;
  /** Whether a message was put since the last poll began. */
  #hasNews = false;
  /** Number of polls. */
  #polls = 0;
  #lastEmptyPoll = 0;
  /** Number of messages received so far. */
  received = 0;
  /** Resolves when the worker has stopped and no message is being processed. */
  readonly ended: Promise<void>;

  constructor(source: HandlingSource, queue: string, concurrency: number) {
    this.#source = source;
    this.#queue = queue;
    this.#concurrency = concurrency;
    this.ended = this.#run();
  }

  /**
   * Resolves after a poll from now on that found the queue empty while none of its messages was being
   * processed; or when the worker has stopped.
   */
  async foundEmpty(): Promise<void> {
    const from = this.#polls;
    while (this.#lastEmptyPoll <= from && !this.#source.stopping.aborted)
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        this.#wake.abort();
      });
  }

  async #run(): Promise<void> {
    const { queues, stopping } = this.#source;
    const stopListening = queues.onPut?.(this.#queue, () => {
      this.#hasNews = true;
      this.#wake.abort();
    });
    while (!stopping.aborted) await this.#turn();
    stopListening?.();
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
    this.#hasNews = false;
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
    if (!this.#hasNews) await this.#wait(this.#idleMs);
    this.#idleMs = this.#hasNews ? firstIdleMs : Math.min(2 * this.#idleMs, longestIdleMs);
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

  /** @returns undefined if the queue could not be reached */
  async #receive(max: number): Promise<readonly ReceivedMessage[] | undefined> {
    const { queues, visibilityMs, report } = this.#source;
    const queue = this.#queue;
    try {
      if (!this.#isCreated) await queues.createQueue(queue);
      this.#isCreated = true;
      // Not cancelled when the worker stops, because messages in a lost response would stay invisible for
      // their timeout.
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
