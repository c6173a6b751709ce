import { waitFor } from "./table-job.ts";

/** Spreads work over time, so a job leaves capacity for other work. */
export class Pace {
  readonly #rate: number | undefined;
  #nextAt: number = performance.now();

  /** @param rate - pieces of work per second at most; undefined for as many as there are */
  constructor(rate: number | undefined) {
    this.#rate = rate;
  }

  /** Notes a piece of work that was done. */
  spend(): void {
    if (this.#rate !== undefined)
      this.#nextAt = Math.max(this.#nextAt, performance.now()) + 1000 / this.#rate;
  }

  /**
   * Waits as long as the work that was done takes at the rate that is allowed. @throws StorageError
   * `storage.cancelled`
   */
  async wait(signal: AbortSignal): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (this.#rate !== undefined && ms > 0) await waitFor(ms, signal);
  }
}
