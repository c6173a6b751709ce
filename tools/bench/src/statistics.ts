/** The value at a quantile. NaN if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

/** The median. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The cost of one series compared with another that was measured in the same rounds. */
export interface Ratio {
  /** The median of the rounds' ratios. */
  readonly median: number;
  /** The ratio of the lower quartiles, which is steadier if other programs run. */
  readonly low: number;
}

export function ratioOf(costs: readonly number[], base: readonly number[]): Ratio {
  return {
    median: median(costs.map((cost, round) => cost / (base[round] ?? Number.NaN))),
    low: quantile(costs, 0.25) / quantile(base, 0.25),
  };
}
