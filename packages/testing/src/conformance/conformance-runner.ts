/** Cases that a storage is known to fail, and why that is not our fault. */
export interface ConformanceSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** What a suite needs of a test runner. */
export interface ConformanceRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** Jest asks for the body of a skipped test, too. */
  readonly skip: (name: string, body: () => Promise<void>) => unknown;
  readonly beforeAll: (body: () => Promise<void>) => unknown;
  readonly afterAll: (body: () => Promise<void>) => unknown;
}

/** Why cases are skipped, by their names. @throws Error when a skip names no case, so that skips do not outlive their reason */
export function reasonsOf(
  suite: string,
  skip: readonly ConformanceSkip[],
  cases: readonly { readonly name: string }[],
): ReadonlyMap<string, string> {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((test) => [test, reason])));
  for (const test of reasons.keys())
    if (!cases.some((one) => one.name === test)) throw new Error(`${suite}: no case is called "${test}".`);
  return reasons;
}

/** The runner whose functions are global. @throws Error where there is none */
export function globalRunner(suite: string): ConformanceRunner {
  const globals = globalThis as unknown as Partial<ConformanceRunner> & {
    test?: ConformanceRunner["test"] & { skip?: ConformanceRunner["skip"] };
  };
  const { describe, test, beforeAll, afterAll } = globals;
  const skip = test?.skip;
  if (describe && test && skip && beforeAll && afterAll) return { describe, test, skip, beforeAll, afterAll };
  throw new Error(
    `${suite} needs a test runner: pass runner: { describe, test, skip, beforeAll, afterAll }.`,
  );
}
