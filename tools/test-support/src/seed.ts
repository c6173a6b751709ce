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
