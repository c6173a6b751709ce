/**
 * The seed of a law that draws its cases itself: the one that the variable names, else a fixed one. In the long form it is random, and
 * printed, so that a failure can be repeated.
 */
export function seedOf(variable: string, fixed: number): number {
  const named = process.env[variable];
  if (named !== undefined) return Number(named);
  if (process.env["PARTITA_LONG"] === undefined) return fixed;
  const seed = Math.trunc(Math.random() * 1_000_000_000);
  console.info(`${variable}=${seed}`);
  return seed;
}

/** Parts of a law that each take a fraction of a minute. In the long form, which has hours, it is one part. */
export function lawParts(numRuns: number, count: number): readonly LawPart[] {
  if (process.env["PARTITA_LONG"] !== undefined) return [{ part: "all", options: { numRuns } }];
  return Array.from({ length: count }, (_, i) => ({
    part: `${i + 1} of ${count}`,
    options: { numRuns: Math.ceil(numRuns / count), seed: 20_261_126 + i },
  }));
}

/** A name for the test of a part, and what fast-check takes for it. */
export interface LawPart {
  readonly part: string;
  readonly options: { readonly numRuns: number; readonly seed?: number };
}
