/**
 * Lets long work go on piece by piece: one piece in each turn of the event loop, in the order they were asked for, whatever
 * they belong to. Short work comes in between, and waits for one piece at most each time the loop turns.
 */
export class Pace {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when the next piece may be done. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#release);
    });
  }

  readonly #release = (): void => {
    this.#waiting[0]?.();
    this.#waiting.shift();
    // Asked for during this turn, it comes in the next one: in between, the loop sees what has arrived.
    if (this.#waiting.length > 0) setImmediate(this.#release);
  };
}
