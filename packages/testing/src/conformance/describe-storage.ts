import type { TableStorage } from "@partita/core";
import type { ConformanceCase } from "./tables/storage-case.ts";
import { type ConformanceRunner, type ConformanceSkip, describeCases } from "./conformance-runner.ts";
import { entityCases } from "./tables/entity-cases.ts";
import { queryCases } from "./tables/query-cases.ts";
import { refusedValueCases } from "./tables/refused-value-cases.ts";
import { tableCases } from "./tables/table-cases.ts";
import { transactionCases } from "./tables/transaction-cases.ts";

/** Options of the conformance suite for tables. */
export interface DescribeStorageOptions {
  /** The name of the suite. */
  readonly name: string;
  /** Opens the storage to test. Called once; the suite closes the storage at the end. */
  readonly create: () => Promise<TableStorage>;
  /** Prefix of the table names: letters and digits; default `Case`. */
  readonly prefix?: string;
  readonly skip?: readonly ConformanceSkip[];
  /** The test runner's functions, such as those of vitest, jest or node:test; by default the global ones. */
  readonly runner?: ConformanceRunner;
}

/** All cases, for other kinds of runners. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...tableCases,
  ...entityCases,
  ...refusedValueCases,
  ...transactionCases,
  ...queryCases,
];

/**
 * Declares one test for each guarantee of `TableStorage`: the service's semantics, codes and limits. Each test uses its
 * own table and deletes it.
 *
 * @throws Error if a skip names no case, so outdated skips are noticed
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
