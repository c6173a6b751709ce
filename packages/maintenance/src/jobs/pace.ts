import { waitFor } from "./table-job.ts";

/** Spreads work over time, so a job leaves capacity for other work. */
export class Pace {
  readonly #rate: number | undefined;
  #nextAt: number = performance.now();

  /** @param rate - maximum pieces of work per second; undefined for no limit */
  constructor(rate: number | undefined) {
    this.#rate = rate;
  }

  /** Records a completed piece of work. */
  spend(): void {
    if (this.#rate !== undefined)
      this.#nextAt = Math.max(this.#nextAt, performance.now()) + 1000 / this.#rate;
  }

  /** Waits until the completed work complies with the rate. @throws StorageError `storage.cancelled` */
  async wait(signal: AbortSignal): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (this.#rate !== undefined && ms > 0) await waitFor(ms, signal);
  }
}
