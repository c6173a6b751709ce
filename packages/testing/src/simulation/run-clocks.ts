import type { Clock } from "@partita/core";
import { randomFor } from "./plan.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulationSettings } from "./simulate-options.ts";

/** The time of the store of a run. Nothing in a store waits for the scheduler, which waits for the store. */
export const clockOfStore = (scheduler: Scheduler, start: number): Clock => ({
  now: () => start + scheduler.now,
  wait: () => Promise.resolve(),
});

/** The time of one actor: the store's, before or behind it, and perhaps set anew once. */
export function clockOfActor(
  scheduler: Scheduler,
  seed: number,
  actor: string,
  { start, skewMs, jumpMs }: SimulationSettings["clock"],
): Pick<Clock, "now"> {
  const draw = randomFor(seed, `clock ${actor}`);
  const upTo = (ms: number): number => Math.round((2 * draw() - 1) * ms);
  const [skew, jump, jumpsAt] = [upTo(skewMs), upTo(jumpMs), Math.floor(draw() * 60)];
  return { now: () => start + scheduler.now + skew + (scheduler.now > jumpsAt ? jump : 0) };
}
