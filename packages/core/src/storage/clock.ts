import type { Check } from "../values/options/define-options.ts";

/** The time, and waiting for it. A test may have its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Milliseconds since any moment that stays the same, for measuring: setting the time of the machine does not move it.
   * A clock without it is measured by `now()`.
   */
  monotonic?(): number;
  /** Ends after so many milliseconds, or as soon as the signal is aborted; it never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock as an option: it has the time, and waits. */
export const aClock: Check<Clock> = {
  takes: "{ now(), wait(ms, signal) }",
  accepts: (value) => {
    const { now, wait } = (value ?? {}) as Partial<Clock>;
    return typeof now === "function" && typeof wait === "function";
  },
};

/** The time of a clock for measuring durations and validity. */
export const monotonicTime = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // The first use of `performance` loads a module of Node.
  monotonic: () => performance.now(),
  async wait(ms, signal) {
    if (ms <= 0 || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    });
  },
};
