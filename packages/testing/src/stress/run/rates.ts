import type { StressRates } from "../stress-options.ts";
import type { StressStep } from "../stress-report.ts";

/** Steps that look closer at where the partition stops following. */
export const closerSteps = 6;

/** Rates nearer to each other than this factor are not worth a step between them. */
const nearest = 1.02;

/**
 * The rates of the first steps, each the same factor above the one before, so that small and large limits are found equally
 * well; the target is one of them.
 */
export function firstRates({ from, to, steps }: StressRates, target: number | undefined): readonly number[] {
  const factor = (to / from) ** (1 / (steps - 1));
  const rates = Array.from({ length: steps }, (_, i) => rounded(from * factor ** i));
  rates[0] = from;
  rates[steps - 1] = to;
  const all = new Set(target === undefined ? rates : [...rates, target]);
  return [...all].toSorted((a, b) => a - b);
}

/** What decides on the next step. */
type JudgedStep = Pick<StressStep, "rate" | "isSustained" | "seconds" | "lateMs">;

/**
 * The rate of a step that looks closer: between the largest rate that was sustained and the next one that was not (bisection, by
 * ratio), or that next one once more, where it failed while this machine was late. Undefined where both are near enough, or
 * every rate was sustained.
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

/** Whether this machine began work so late, by a hundredth of a step, that a failure may be its own. */
export const wasLate = ({ lateMs, seconds }: Pick<StressStep, "lateMs" | "seconds">): boolean =>
  lateMs > seconds * 10;

/** The largest rate that was sustained, at least once; 0 when none was. A step below it that failed, failed by chance. */
export const sustainedOf = (steps: readonly Pick<StressStep, "rate" | "isSustained">[]): number =>
  Math.max(0, ...steps.filter(({ isSustained }) => isSustained).map(({ rate }) => rate));

/** Whole above 100, so that nobody reads digits that mean nothing. */
const rounded = (rate: number): number => (rate >= 100 ? Math.round(rate) : Math.round(rate * 10) / 10);
