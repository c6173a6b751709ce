/** Limits how much work runs concurrently. Work that has to wait starts in the order in which it was passed. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count - pieces of work that may run concurrently; 1 for one after the other */
  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
