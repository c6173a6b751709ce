/** A clock whose time goes from one wait's end to the next, as in a simulation of discrete events. */
export interface EventClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after so many milliseconds, or as soon as the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets no time pass until what it returns is called: for work that does not wait by this clock, such as that of a socket. */
  hold(): () => void;
}

/**
 * A clock for tests of what happens when: of all that wait, the one whose time comes first goes on, and what it does is over
 * before the next one does.
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
