import type { Clock } from "@partita/core/storage";

/** A clock that only moves when somebody waits, or when a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves it on by so many milliseconds. */
  advance(ms: number): void;
  /** Milliseconds that were waited for, one by one. */
  readonly waits: readonly number[];
}

/**
 * A clock for tests: whoever waits goes on at once, with the time as it would be then.
 *
 * @param start - milliseconds since 1970; default now
 */
export function virtualClock(start: number = Date.now()): VirtualClock {
  let now = start;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    advance(ms) {
      now += ms;
    },
    async wait(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return;
      waits.push(ms);
      // Those who wait at once wait side by side.
      const until = now + ms;
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, until);
    },
  };
}
