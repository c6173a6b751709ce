import { type FaultLog, type VirtualClock, virtualClock } from "../../src/index.ts";

/**
 * A clock that several contexts share, over requests that come late. Whoever waits lets all of them arrive first, and time
 * passes at the very moment when none is on its way: otherwise one could arrive later than any network lets it.
 */
export function clockOverFaults(log: FaultLog): VirtualClock {
  const clock = virtualClock();
  return {
    ...clock,
    async wait(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return;
      const until = clock.now() + ms;
      // Others run on meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      while (log.onTheirWay > 0) await log.settle();
      clock.advance(Math.max(0, until - clock.now()));
    },
  };
}
