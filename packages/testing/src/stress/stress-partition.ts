import type { EntityClass, TableStorage } from "@partita/core";
import { checkStressOptions, type StressOptions } from "./stress-options.ts";
import type { StressReport } from "./stress-report.ts";

/**
 * Puts one partition under load, to find out how many entities a second it returns and takes: the stress test of a test table
 * with the keys that are planned. Queries and writes come at a rate that rises in steps and never waits for answers, and each
 * request is sent once. The table is one of the test's own, under a prefix, and is removed after it, whatever happens.
 *
 * What is measured is whatever the storage is: only a service has its limits. A file or an emulator measures this machine.
 *
 * @returns the steps, the largest rate that was sustained, and pictures of them
 * @throws OptionError `stress.option`; StressError for a load that does not work, or is not about this partition; KeyError for
 *   a partition that is none; the reason of `signal` once it is aborted
 */
export async function stressPartition<const Class extends EntityClass>(
  storage: TableStorage,
  entityClass: Class,
  options: StressOptions<Class>,
): Promise<StressReport> {
  const settings = checkStressOptions(options);
  // Only a test that measures loads it.
  const { runStress } = await import("./run/run-stress.ts");
  return runStress(storage, entityClass, settings);
}
