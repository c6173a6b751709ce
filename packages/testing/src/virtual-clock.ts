import type { Clock } from "@partita/core/storage";

/** A clock that only moves when code waits on it, or when a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves the clock forward by this many milliseconds. */
  advance(ms: number): void;
  /** The duration of each wait, in milliseconds. */
  readonly waits: readonly number[];
}

/**
 * A clock for tests: each wait ends immediately and moves the clock by its duration.
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
      // Concurrent waits overlap.
      const until = now + ms;
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, until);
    },
  };
}
