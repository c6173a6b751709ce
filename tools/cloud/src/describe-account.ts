import { openStorage, type TableStorage } from "@partita/core";
import { openQueues, type QueueStorage } from "@partita/queues";
import {
  type ConformanceRunner,
  type ConformanceSkip,
  describeQueues,
  describeStorage,
} from "@partita/testing";
import type { CloudAccount } from "./accounts.ts";
import { removeLeftovers, removeOwn } from "./clean-up.ts";
import { ownPrefix } from "./own-names.ts";
import { allProbes } from "./probes/all-probes.ts";
import type { Finding } from "./probes/probe.ts";
import { rawRequests } from "./raw-request.ts";
import { printReport, type Report } from "./report.ts";

/** Options for testing an account. */
export interface DescribeAccountOptions {
  readonly runner: ConformanceRunner;
  /** How long to look for the effect of an abandoned request. Default 75 seconds. */
  readonly lateWindowMs?: number;
  /** Findings with known differences, which are only reported. */
  readonly knownDifferences?: readonly string[];
  /** Advances the clock of the account's queues. If absent, the tests wait. */
  readonly advance?: (ms: number) => void;
  /** Called with the measurements of the probes, before they are judged. */
  readonly publish: (report: Report) => void;
}

/** Cosmos DB does not guarantee an order of rows. */
const cosmosSkips: readonly ConformanceSkip[] = [
  {
    reason: "Cosmos DB guarantees no order",
    tests: ["returns entities in UTF-16 order of PartitionKey, then RowKey"],
  },
];

/**
 * Declares the suites of storages and of queues, and the probes, for an account. Every table and queue has a
 * name of this run, and is deleted at its end. The leftovers of killed runs are deleted before.
 */
export function describeAccount(
  account: CloudAccount,
  { runner, lateWindowMs = 75_000, knownDifferences = [], advance, publish }: DescribeAccountOptions,
): void {
  const { name, connectionString, hasQueues, isCosmos } = account;
  const prefix = ownPrefix(Date.now());
  runner.describe(name, () => {
    let storage: TableStorage | undefined;
    let queues: QueueStorage | undefined;
    runner.beforeAll(async () => {
      storage = await openStorage(connectionString);
      queues = hasQueues ? await openQueues(connectionString) : undefined;
      const removed = await removeLeftovers(Date.now(), storage, queues);
      if (removed > 0) console.log(`Deleted ${removed} tables and queues of earlier runs.`);
    });
    runner.afterAll(async () => {
      if (storage !== undefined) await removeOwn(prefix, storage, queues);
      await Promise.all([storage?.close(), queues?.close()]);
    });
    describeStorage({
      name,
      prefix,
      create: () => openStorage(connectionString),
      skip: isCosmos ? cosmosSkips : [],
      runner,
    });
    if (hasQueues)
      describeQueues({
        name,
        prefix,
        open: () => openQueues(connectionString),
        ...(advance && { advance }),
        runner,
      });
    runner.test("the assumptions about the service hold", async () => {
      const probes: Record<string, readonly Finding[]> = {};
      const raw = rawRequests(connectionString);
      for (const [i, probe] of allProbes.entries()) {
        const table = `${prefix}probe${i}`;
        const own = storage as TableStorage;
        await own.createTable(table);
        probes[probe.name] = await probe.measure({ storage: own, table, raw, lateWindowMs, isCosmos });
      }
      const report: Report = { account: name, at: new Date().toISOString(), probes };
      publish(report);
      const wrong = Object.values(probes)
        .flat()
        .filter(({ what, holds }) => !holds && !knownDifferences.includes(what));
      if (wrong.length > 0) throw new Error(printReport(report));
    });
  });
}
