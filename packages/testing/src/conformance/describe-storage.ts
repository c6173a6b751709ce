import type { TableStorage } from "@partita/core";
import type { ConformanceCase } from "./conformance-case.ts";
import {
  type ConformanceRunner,
  type ConformanceSkip,
  globalRunner,
  reasonsOf,
} from "./conformance-runner.ts";
import { entityCases } from "./entity-cases.ts";
import { queryCases } from "./query-cases.ts";
import { refusedValueCases } from "./refused-value-cases.ts";
import { tableCases } from "./table-cases.ts";
import { transactionCases } from "./transaction-cases.ts";

/** What the conformance suite runs over. */
export interface DescribeStorageOptions {
  /** How the suite is called. */
  readonly name: string;
  /** Opens the storage to test; called once, and closed at the end. */
  readonly create: () => Promise<TableStorage>;
  /** What the names of the suite's tables begin with, in letters and digits; default `Case`. */
  readonly prefix?: string;
  readonly skip?: readonly ConformanceSkip[];
  /** The runner's own functions, as vitest, jest and node:test have them; the global ones when absent. */
  readonly runner?: ConformanceRunner;
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
 * Declares one test per promise of `TableStorage`: the service's semantics, codes and limits. Each has a table of its own, which
 * it removes.
 *
 * @throws Error when a skip names no case, so that skips do not outlive their reason
 */
export function describeStorage({
  name,
  create,
  prefix = "Case",
  skip = [],
  runner = globalRunner("describeStorage"),
}: DescribeStorageOptions): void {
  const reasons = reasonsOf("describeStorage", skip, conformanceCases);
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
      const body = (): Promise<void> => checkInOwnTable(storage as TableStorage, prefix + index, check);
      if (reason !== undefined) runner.skip(`${title} (skipped: ${reason})`, body);
      else runner.test(title, body);
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
