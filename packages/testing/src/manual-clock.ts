import type { Clock } from "@partita/core/storage";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves the clock forward by this many milliseconds, and ends the waits that are due by then. */
  advance(ms: number): void;
  /** The number of waits that have not ended. */
  readonly waiting: number;
}

/**
 * A clock for tests of time limits: `openStorage(target, { clock })` measures the limits of requests with it. A request
 * times out when the test moves the clock, and never because the machine is slow.
 *
 * @param start - milliseconds since 1970; default now
 */
export function manualClock(start: number = Date.now()): ManualClock {
  let now = start;
  const waits = new Set<{ readonly until: number; readonly end: () => void }>();
  return {
    get waiting() {
      return waits.size;
    },
    now: () => now,
    advance(ms) {
      now += ms;
      for (const wait of waits) if (wait.until <= now) wait.end();
    },
    async wait(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          waits.delete(wait);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const wait = { until: now + ms, end };
        waits.add(wait);
        signal?.addEventListener("abort", end, { once: true });
      });
    },
  };
}
