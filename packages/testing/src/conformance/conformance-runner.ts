/** Cases that a storage is known to fail, with the reason why this is acceptable. */
export interface ConformanceSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** The functions that a suite uses of a test runner. */
export interface ConformanceRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** Jest requires a body even for a skipped test. */
  readonly skip: (name: string, body: () => Promise<void>) => unknown;
  readonly beforeAll: (body: () => Promise<void>) => unknown;
  readonly afterAll: (body: () => Promise<void>) => unknown;
}

/** A suite for one kind of store. */
interface Suite<Store, Case> {
  /** The function that declares the suite, for errors. */
  readonly call: string;
  readonly title: string;
  readonly open: () => Promise<Store>;
  readonly cases: readonly Case[];
  readonly skip: readonly ConformanceSkip[] | undefined;
  readonly runner: ConformanceRunner | undefined;
  /** Checks a case in its own table or queue, with `index` in its name. */
  readonly check: (store: Store, one: Case, index: number) => Promise<void>;
}

/** Declares a test for each case. @throws Error if a skip names no case, so outdated skips are noticed */
export function describeCases<
  Store extends { close(): Promise<void> },
  Case extends { readonly name: string },
>({ call, title, open, cases, skip = [], runner = globalRunner(call), check }: Suite<Store, Case>): void {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((test) => [test, reason])));
  for (const test of reasons.keys())
    if (!cases.some((one) => one.name === test)) throw new Error(`${call}: there is no case "${test}".`);
  runner.describe(title, () => {
    let store: Store | undefined;
    runner.beforeAll(async () => {
      store = await open();
    });
    runner.afterAll(async () => {
      await store?.close();
    });
    for (const [index, one] of cases.entries()) {
      const reason = reasons.get(one.name);
      const body = (): Promise<void> => check(store as Store, one, index);
      if (reason !== undefined) runner.skip(`${one.name} (skipped: ${reason})`, body);
      else runner.test(one.name, body);
    }
  });
}

/** The runner with global functions. @throws Error if there is none */
function globalRunner(suite: string): ConformanceRunner {
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
