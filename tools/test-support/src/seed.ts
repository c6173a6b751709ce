/**
 * The seed of a law that generates its cases itself: the value of the variable, or a fixed one. In the long
 * form it is random, and printed to reproduce a failure.
 */
export function seedOf(variable: string, fixed: number): number {
  const named = process.env[variable];
  if (named !== undefined) return Number(named);
  if (process.env["PARTITA_LONG"] === undefined) return fixed;
  const seed = Math.trunc(Math.random() * 1_000_000_000);
  console.info(`${variable}=${seed}`);
  return seed;
}

/** Parts of a law that each take a fraction of a minute. The long form runs for hours, as one part. */
export function lawParts(numRuns: number, count: number): readonly LawPart[] {
  if (process.env["PARTITA_LONG"] !== undefined) return [{ part: "all", options: { numRuns } }];
  return Array.from({ length: count }, (_, i) => ({
    part: `${i + 1} of ${count}`,
    options: { numRuns: Math.ceil(numRuns / count), seed: 20_261_126 + i },
  }));
}

/** The name of a part's test, and its options for fast-check. */
export interface LawPart {
  readonly part: string;
  readonly options: { readonly numRuns: number; readonly seed?: number };
}
