import type { StressRates } from "../stress-options.ts";
import type { StressStep } from "../stress-report.ts";

/** Number of steps that refine the limit. */
export const closerSteps = 6;

/** Rates that differ by less than this factor are not refined. */
const nearest = 1.02;

/**
 * The rates of the first steps, each larger by the same factor, so small and large limits are found equally well. The
 * target is one of them.
 */
export function firstRates({ from, to, steps }: StressRates, target: number | undefined): readonly number[] {
  const factor = (to / from) ** (1 / (steps - 1));
  const rates = Array.from({ length: steps }, (_, i) => rounded(from * factor ** i));
  rates[0] = from;
  rates[steps - 1] = to;
  const all = new Set(target === undefined ? rates : [...rates, target]);
  return [...all].toSorted((a, b) => a - b);
}

/** The figures that decide on the next step. */
type JudgedStep = Pick<StressStep, "rate" | "isSustained" | "seconds" | "lateMs">;

/**
 * The rate of the next refining step: between the largest sustained rate and the next one that failed (bisection by
 * ratio), or the failed one again if this machine was late. Undefined if both are close enough, or every rate was
 * sustained.
 */
export function closerRate(steps: readonly JudgedStep[]): number | undefined {
  const best = sustainedOf(steps);
  const above = steps.filter(({ rate, isSustained }) => !isSustained && rate > best);
  const worst = Math.min(...above.map(({ rate }) => rate));
  if (worst === Number.POSITIVE_INFINITY) return undefined;
  const [first, again] = above.filter(({ rate }) => rate === worst);
  if (first !== undefined && again === undefined && wasLate(first)) return worst;
  if (best === 0) return worst / 2;
  return worst / best < nearest ? undefined : rounded(Math.sqrt(best * worst));
}

/** Whether this machine started work so late, by a hundredth of a step, that it may have caused the failure. */
export const wasLate = ({ lateMs, seconds }: Pick<StressStep, "lateMs" | "seconds">): boolean =>
  lateMs > seconds * 10;

/** The largest rate that was sustained at least once; 0 if none was. If a step below it failed, that was by chance. */
export const sustainedOf = (steps: readonly Pick<StressStep, "rate" | "isSustained">[]): number =>
  Math.max(0, ...steps.filter(({ isSustained }) => isSustained).map(({ rate }) => rate));

/** Whole numbers from 100 on, since more digits would have no meaning. */
const rounded = (rate: number): number => (rate >= 100 ? Math.round(rate) : Math.round(rate * 10) / 10);
