import type { EntityClass, TableStorage } from "@partita/core";
import { checkStressOptions, type StressOptions } from "./stress-options.ts";
import type { StressReport } from "./stress-report.ts";

/**
 * Measures how many entities per second one partition returns and accepts, to test planned keys. Queries and writes
 * arrive at a rate that rises in steps and never waits for responses; each request is sent once. The test uses its own
 * table with a prefix, and always deletes it at the end.
 *
 * The figures depend on the storage: only a service has its limits. A file or an emulator measures this machine.
 *
 * @returns the steps, the largest sustained rate, and plots of them
 * @throws OptionError `stress.option`; StressError for a load that fails, or uses another partition; KeyError for an
 *   invalid partition; the reason of `signal` once it is aborted
 */
export async function stressPartition<const Class extends EntityClass>(
  storage: TableStorage,
  entityClass: Class,
  options: StressOptions<Class>,
): Promise<StressReport> {
  const settings = checkStressOptions(options);
  // Loaded on demand, since only a test that measures needs it.
  const { runStress } = await import("./run/run-stress.ts");
  return runStress(storage, entityClass, settings);
}
