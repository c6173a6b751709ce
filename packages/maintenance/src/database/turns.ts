import { setImmediate as nextTurn } from "node:timers/promises";
import { cancelled } from "@partita/core/internal";

/** How long rows are processed before the event loop gets a turn, in milliseconds. */
const maxTurnMs = 8;

/** Lets other tasks run during long work on rows, since SQLite works synchronously. */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  #startedAt: number = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether the work has run for long enough. */
  get isDue(): boolean {
    return performance.now() - this.#startedAt >= maxTurnMs;
  }

  /** Lets other tasks run. @throws StorageError `storage.cancelled` */
  async next(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted === true) throw cancelled(this.#signal);
    this.#startedAt = performance.now();
  }
}

/** Rows between two calls of `onProgress`. */
export const progressRows = 10_000;
