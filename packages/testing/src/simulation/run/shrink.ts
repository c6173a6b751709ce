import { planOfWritten, type WrittenPlan } from "./plan.ts";
import type { RunResult } from "./run-once.ts";

/** A run with a violation, and its plan. */
export interface FailedRun {
  readonly plan: WrittenPlan;
  readonly result: RunResult;
}

/** Runs a plan again. */
export type RunAgain = (plan: ReturnType<typeof planOfWritten>) => Promise<RunResult>;

/** The actors of a scenario. */
export interface Cast {
  readonly actors: readonly string[];
  readonly steps: number;
}

/**
 * Shortens the history of a failed run while the same check still fails: fewer steps, earlier stops, fewer faults,
 * fewer switches between actors. It ends when nothing more can be removed or the budget is used up.
 *
 * @param budget - maximum number of runs
 */
export async function shrink(
  first: FailedRun,
  cast: Cast,
  runAgain: RunAgain,
  budget: number,
): Promise<{ readonly run: FailedRun; readonly runs: number }> {
  let [best, runs] = [first, 0];
  /** Uses a plan as the new best one if its run fails in the same way and is not longer. */
  const attempt = async (change: Partial<WrittenPlan>): Promise<boolean> => {
    if (runs >= budget) return false;
    runs++;
    const plan = { ...best.plan, ...change };
    const result = await runAgain(planOfWritten(plan));
    const isSame = result.violation !== undefined && result.violation.check === best.result.violation?.check;
    if (!isSame || !isShorter({ plan, result }, best)) return false;
    best = { plan: writtenPlan(plan.seed, result, plan.skipped), result };
    return true;
  };
  const passes = [
    () => withoutSteps(() => best.plan, cast, attempt),
    () => withStops(() => best, cast, attempt),
    () => withoutFaults(() => best.plan, attempt),
    () => withSimplerSchedule(() => best.plan, attempt),
  ];
  for (let isShrinking = true; isShrinking && runs < budget;) {
    isShrinking = false;
    for (const pass of passes) if (await pass()) isShrinking = true;
  }
  return { run: best, runs };
}

type Attempt = (change: Partial<WrittenPlan>) => Promise<boolean>;

/** The choices of a run as data. */
export const writtenPlan = (
  seed: number,
  { schedule, faults, stops }: Pick<RunResult, "schedule" | "faults" | "stops">,
  skipped: ReadonlySet<string> = new Set(),
): WrittenPlan => ({ seed, schedule, faults, stops, skipped });

/** Fewer actors, then fewer requests, fewer faults, and fewer switches between actors. */
function isShorter(a: FailedRun, b: FailedRun): boolean {
  const [left, right] = [sizeOf(a), sizeOf(b)];
  const at = left.findIndex((size, i) => size !== right[i]);
  return at >= 0 && (left[at] as number) < (right[at] as number);
}

function sizeOf({ result }: FailedRun): readonly number[] {
  const { entries } = result.journal;
  const done = entries.filter(({ responded, executed }) => responded > 0 || executed > 0);
  const actors = done.map(({ actor }) => actor);
  const order = done.toSorted((a, b) => a.responded - b.responded).map(({ actor }) => actor);
  const changes = order.filter((actor, i) => i > 0 && actor !== order[i - 1]).length;
  const late = done.filter(({ responded, executed }) => executed > responded).length;
  return [new Set(actors).size, done.length, result.faults.size, late, changes, result.schedule.length];
}

async function withoutSteps(
  best: () => WrittenPlan,
  { actors, steps }: Cast,
  attempt: Attempt,
): Promise<boolean> {
  let isShorter = false;
  const numbers = Array.from({ length: steps }, (_, i) => i + 1);
  const skip = async (ids: readonly string[]): Promise<void> => {
    const { skipped } = best();
    if (ids.every((id) => skipped.has(id))) return;
    if (await attempt({ skipped: new Set([...skipped, ...ids]) })) isShorter = true;
  };
  for (const actor of actors) await skip(numbers.map((step) => `${actor}/${step}`));
  for (const actor of actors) for (const step of numbers.toReversed()) await skip([`${actor}/${step}`]);
  return isShorter;
}

/** Stops each actor as early as the violation allows. */
async function withStops(best: () => FailedRun, { actors }: Cast, attempt: Attempt): Promise<boolean> {
  let isShorter = false;
  for (const actor of actors) {
    const sent = best().result.journal.entries.filter(
      (entry) => entry.actor === actor && entry.step > 0,
    ).length;
    for (let limit = 1; limit < sent; limit++) {
      if (!(await attempt({ stops: new Map([...best().plan.stops, [actor, limit]]) }))) continue;
      isShorter = true;
      break;
    }
  }
  return isShorter;
}

async function withoutFaults(best: () => WrittenPlan, attempt: Attempt): Promise<boolean> {
  return withoutParts(
    () => [...best().faults],
    (faults) => attempt({ faults: new Map(faults) }),
  );
}

/** First without a schedule, so actors run one after another; then without parts of it. */
async function withSimplerSchedule(best: () => WrittenPlan, attempt: Attempt): Promise<boolean> {
  if (await attempt({ schedule: [] })) return true;
  return withoutParts(
    () => best().schedule,
    (schedule) => attempt({ schedule }),
  );
}

/** Delta debugging by Zeller and Hildebrandt: removes halves, then quarters, down to single parts. */
async function withoutParts<Part>(
  list: () => readonly Part[],
  attempt: (rest: readonly Part[]) => Promise<boolean>,
): Promise<boolean> {
  let isShorter = false;
  for (let size = Math.ceil(list().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = list().length - size; from > -size; from -= size) {
      const all = list();
      const rest = [
        ...all.slice(0, Math.max(0, from)),
        ...all.slice(Math.max(0, from) + size + Math.min(0, from)),
      ];
      if (rest.length < all.length && (await attempt(rest))) isShorter = true;
    }
  }
  return isShorter;
}
