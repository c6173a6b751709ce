/** The value that a share of the others lie below; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

/** The value in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** What one series costs beside another that was measured in the same rounds. */
export interface Ratio {
  /** The median of the rounds' ratios. */
  readonly median: number;
  /** The ratio of the lower quartiles, the steadier of both where other programs run. */
  readonly low: number;
}

export function ratioOf(costs: readonly number[], base: readonly number[]): Ratio {
  return {
    median: median(costs.map((cost, round) => cost / (base[round] ?? Number.NaN))),
    low: quantile(costs, 0.25) / quantile(base, 0.25),
  };
}
