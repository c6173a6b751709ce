/** A clock that jumps from the end of one wait to the next, like a simulation of discrete events. */
export interface EventClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after this many milliseconds, or when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Stops the clock until the returned function is called, for work that waits for something else, such as a
   * socket.
   */
  hold(): () => void;
}

/**
 * A clock for tests of ordering. The wait with the earliest end continues first, and its work completes
 * before the next one continues.
 *
 * @param start - milliseconds since 1970
 */
export function eventClock(start = 0): EventClock {
  let now = start;
  let held = 0;
  let isTurning = false;
  const waits: { readonly until: number; readonly end: () => void }[] = [];
  const turn = (): void => {
    isTurning = false;
    if (held > 0) return;
    const next = waits.shift();
    if (next === undefined) return;
    now = Math.max(now, next.until);
    next.end();
    turnLater();
  };
  const turnLater = (): void => {
    if (isTurning) return;
    isTurning = true;
    setImmediate(turn);
  };
  return {
    now: () => now,
    async wait(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return;
      const until = now + ms;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const later = waits.findIndex((wait) => wait.until > until);
        waits.splice(later < 0 ? waits.length : later, 0, { until, end });
        signal?.addEventListener("abort", end, { once: true });
        turnLater();
      });
    },
    hold() {
      held++;
      return () => {
        held--;
        turnLater();
      };
    },
  };
}
