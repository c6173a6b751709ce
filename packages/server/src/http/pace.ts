/**
 * Splits long work into pieces: one piece per turn of the event loop, in the order of the requests, shared by all work.
 * Short work runs in between and waits for at most one piece per turn.
 */
export class Pace {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when the next piece may run. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#release);
    });
  }

  readonly #release = (): void => {
    this.#waiting[0]?.();
    this.#waiting.shift();
    // A piece that is requested during this turn runs in the next one, so the loop can handle new requests in between.
    if (this.#waiting.length > 0) setImmediate(this.#release);
  };
}
