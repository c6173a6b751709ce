import type { TableStorage } from "@partita/core";
import type { ConformanceCase } from "./tables/storage-case.ts";
import { type ConformanceRunner, type ConformanceSkip, describeCases } from "./conformance-runner.ts";
import { entityCases } from "./tables/entity-cases.ts";
import { queryCases } from "./tables/query-cases.ts";
import { refusedValueCases } from "./tables/refused-value-cases.ts";
import { tableCases } from "./tables/table-cases.ts";
import { transactionCases } from "./tables/transaction-cases.ts";

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
  skip,
  runner,
}: DescribeStorageOptions): void {
  describeCases({
    call: "describeStorage",
    title: `${name} keeps the promises of a table storage`,
    open: create,
    cases: conformanceCases,
    skip,
    runner,
    async check(storage, { check }, index) {
      const table = prefix + index;
      await storage.createTable(table);
      try {
        await check(storage, table);
      } finally {
        await storage.deleteTable(table).catch(() => undefined);
      }
    },
  });
}
