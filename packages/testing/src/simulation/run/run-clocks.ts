import type { Clock } from "@partita/core/storage";
import { randomFor } from "./plan.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulationSettings } from "../simulate-options.ts";

/** The time of the store of a run. Nothing in a store waits for the scheduler, which waits for the store. */
export const clockOfStore = (scheduler: Scheduler, start: number): Clock => ({
  now: () => start + scheduler.now,
  monotonic: () => scheduler.now,
  wait: () => Promise.resolve(),
});

/** The clock of one actor. */
export interface ActorClock extends Pick<Clock, "now"> {
  /** Milliseconds that it is before the store's clock in the beginning. */
  readonly skew: number;
  /** How it is set, and when: milliseconds since the run began. */
  readonly jump?: { readonly ms: number; readonly at: number };
}

/** The time of one actor: the store's, before or behind it, and perhaps set anew once. */
export function clockOfActor(
  scheduler: Scheduler,
  seed: number,
  actor: string,
  { start, skewMs, jumpMs }: SimulationSettings["clock"],
): ActorClock {
  const draw = randomFor(seed, `clock ${actor}`);
  const upTo = (ms: number): number => Math.round((2 * draw() - 1) * ms);
  // At any scale, from the first requests to long waits.
  const [skew, jump, jumpsAt] = [upTo(skewMs), upTo(jumpMs), 10 ** (4 * draw())];
  return {
    now: () => start + scheduler.now + skew + (scheduler.now > jumpsAt ? jump : 0),
    skew,
    ...(jump !== 0 && { jump: { ms: jump, at: jumpsAt } }),
  };
}
