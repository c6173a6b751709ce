import type { TableStorage } from "@partita/core";
import type { ConformanceCase } from "./conformance-case.ts";
import { entityCases } from "./entity-cases.ts";
import { queryCases } from "./query-cases.ts";
import { refusedValueCases } from "./refused-value-cases.ts";
import { tableCases } from "./table-cases.ts";
import { transactionCases } from "./transaction-cases.ts";

/** Cases that a storage is known to fail, and why that is not our fault. */
export interface ConformanceSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** What the conformance suite runs over. */
export interface DescribeStorageOptions {
  /** How the suite is called. */
  readonly name: string;
  /** Opens the storage to test; called once, and closed at the end. */
  readonly create: () => Promise<TableStorage>;
  readonly skip?: readonly ConformanceSkip[];
  /** The runner's own functions, as vitest, jest and node:test have them; the global ones when absent. */
  readonly runner?: ConformanceRunner;
}

/** What the suite needs of a test runner. */
export interface ConformanceRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  readonly skip: (name: string) => unknown;
  readonly beforeAll: (body: () => Promise<void>) => unknown;
  readonly afterAll: (body: () => Promise<void>) => unknown;
}

/** Every case, for runners of another kind. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...tableCases,
  ...entityCases,
  ...refusedValueCases,
  ...transactionCases,
  ...queryCases,
];

/**
 * Declares one test per promise of `TableStorage`: the service's semantics, codes and limits.
 *
 * @throws Error when a skip names no case, so that skips do not outlive their reason
 */
export function describeStorage({
  name,
  create,
  skip = [],
  runner = globalRunner(),
}: DescribeStorageOptions): void {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((test) => [test, reason])));
  for (const test of reasons.keys())
    if (!conformanceCases.some((c) => c.name === test))
      throw new Error(`describeStorage: no case is called "${test}".`);

  runner.describe(`${name} keeps the promises of a table storage`, () => {
    let storage: TableStorage | undefined;
    runner.beforeAll(async () => {
      storage = await create();
    });
    runner.afterAll(async () => {
      await storage?.close();
    });
    for (const [index, { name: title, check }] of conformanceCases.entries()) {
      const reason = reasons.get(title);
      if (reason !== undefined) runner.skip(`${title} (skipped: ${reason})`);
      else runner.test(title, () => checkInOwnTable(storage as TableStorage, `Case${index}`, check));
    }
  });
}

async function checkInOwnTable(
  storage: TableStorage,
  table: string,
  check: ConformanceCase["check"],
): Promise<void> {
  await storage.createTable(table);
  try {
    await check(storage, table);
  } finally {
    await storage.deleteTable(table).catch(() => undefined);
  }
}

function globalRunner(): ConformanceRunner {
  const globals = globalThis as unknown as Partial<ConformanceRunner> & {
    test?: ConformanceRunner["test"] & { skip?: ConformanceRunner["skip"] };
  };
  const { describe, test, beforeAll, afterAll } = globals;
  const skip = test?.skip;
  if (describe && test && skip && beforeAll && afterAll) return { describe, test, skip, beforeAll, afterAll };
  throw new Error(
    "describeStorage needs a test runner: pass runner: { describe, test, skip, beforeAll, afterAll }.",
  );
}
