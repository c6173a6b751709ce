import type { Check } from "../values/options/define-options.ts";

/** The time, and waiting for it. A test may have its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Milliseconds since an arbitrary but fixed moment, for measuring durations: setting the machine's time does not
   * affect it. If a clock lacks it, `now()` is used.
   */
  monotonic?(): number;
  /** Resolves after this many milliseconds, or as soon as the signal is aborted; it never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Checks a clock option: it needs `now` and `wait`. */
export const aClock: Check<Clock> = {
  takes: "{ now(), wait(ms, signal) }",
  accepts: (value) => {
    const { now, wait } = (value ?? {}) as Partial<Clock>;
    return typeof now === "function" && typeof wait === "function";
  },
};

/** The time of a clock for measuring durations and validity. */
export const monotonicTime = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

/** This machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Not at import, since the first use of `performance` loads a module of Node.
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
