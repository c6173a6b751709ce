import { median, ratioOf } from "../statistics.ts";
import type { PairCosts } from "./measure-pair.ts";

/** The cost of one checkout compared with that of the baseline. */
export interface Summary {
  /** The median of the pairs' ratios. Each is the median of its rounds' ratios. */
  readonly ratio: number;
  /** The standard error of their mean. NaN for a single pair. */
  readonly error: number;
  /** The smallest and the largest ratio of a pair. */
  readonly low: number;
  readonly high: number;
}

export function summaryOf(pairs: readonly PairCosts[]): Summary {
  const ratios = pairs.map(([baseline, other]) => ratioOf(other, baseline).median);
  const mean = sumOf(ratios) / ratios.length;
  const squares = ratios.map((one) => (one - mean) ** 2);
  const error = Math.sqrt(sumOf(squares) / (ratios.length - 1) / ratios.length);
  return { ratio: median(ratios), error, low: Math.min(...ratios), high: Math.max(...ratios) };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
