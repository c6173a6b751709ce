import type { Clock } from "@partita/core/storage";
import { randomFor } from "./plan.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulationSettings } from "../simulate-options.ts";

/** The clock of a run's store. Nothing in a store waits for the scheduler, which waits for the store. */
export const clockOfStore = (scheduler: Scheduler, start: number): Clock => ({
  now: () => start + scheduler.now,
  monotonic: () => scheduler.now,
  wait: () => Promise.resolve(),
});

/** The clock of one actor. */
export interface ActorClock extends Pick<Clock, "now"> {
  /** Its initial offset from the store's clock, in milliseconds. */
  readonly skew: number;
  /** A change of the clock, with its time in milliseconds since the start of the run. */
  readonly jump?: { readonly ms: number; readonly at: number };
}

/** The time of one actor: the store's with an offset, and perhaps one jump. */
export function clockOfActor(
  scheduler: Scheduler,
  seed: number,
  actor: string,
  { start, skewMs, jumpMs }: SimulationSettings["clock"],
): ActorClock {
  const draw = randomFor(seed, `clock ${actor}`);
  const upTo = (ms: number): number => Math.round((2 * draw() - 1) * ms);
  // At any time scale, from the first requests to long waits.
  const [skew, jump, jumpsAt] = [upTo(skewMs), upTo(jumpMs), 10 ** (4 * draw())];
  return {
    now: () => start + scheduler.now + skew + (scheduler.now > jumpsAt ? jump : 0),
    skew,
    ...(jump !== 0 && { jump: { ms: jump, at: jumpsAt } }),
  };
}
