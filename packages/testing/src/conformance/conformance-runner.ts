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

/** A suite of one kind of store. */
interface Suite<Store, Case> {
  /** The function that declares it, for errors. */
  readonly call: string;
  readonly title: string;
  readonly open: () => Promise<Store>;
  readonly cases: readonly Case[];
  readonly skip: readonly ConformanceSkip[] | undefined;
  readonly runner: ConformanceRunner | undefined;
  /** Checks a case in a table or queue of its own, whose name `index` distinguishes. */
  readonly check: (store: Store, one: Case, index: number) => Promise<void>;
}

/** Declares a test for each case. @throws Error when a skip names no case, so that skips do not outlive their reason */
export function describeCases<
  Store extends { close(): Promise<void> },
  Case extends { readonly name: string },
>({ call, title, open, cases, skip = [], runner = globalRunner(call), check }: Suite<Store, Case>): void {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((test) => [test, reason])));
  for (const test of reasons.keys())
    if (!cases.some((one) => one.name === test)) throw new Error(`${call}: no case is called "${test}".`);
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

/** The runner whose functions are global. @throws Error where there is none */
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
