const minuteMs = 60_000;

/**
 * Counts the events of the last minute with three numbers: the events of the current minute, plus the share
 * of the previous minute within the last 60 seconds, assuming an even spread.
 */
export class MinuteRate {
  #minute = Number.NEGATIVE_INFINITY;
  #present = 0;
  #before = 0;

  /** @param ms - the time, which never goes back */
  add(count: number, ms: number): void {
    this.#turnTo(Math.floor(ms / minuteMs));
    this.#present += count;
  }

  /** The number of events in the 60 seconds before this time. */
  at(ms: number): number {
    const minute = Math.floor(ms / minuteMs);
    this.#turnTo(minute);
    return Math.round(this.#present + this.#before * (minute + 1 - ms / minuteMs));
  }

  reset(): void {
    this.#minute = Number.NEGATIVE_INFINITY;
    this.#present = 0;
    this.#before = 0;
  }

  #turnTo(minute: number): void {
    if (minute <= this.#minute) return;
    this.#before = minute === this.#minute + 1 ? this.#present : 0;
    this.#present = 0;
    this.#minute = minute;
  }
}
