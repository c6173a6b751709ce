import type { UpgradeReport } from "@partita/maintenance";
import { jobProgressLine } from "./job-progress.ts";
import { loadTarget } from "./load-classes.ts";
import { wholeNumberOf } from "./number-option.ts";
import { linesOf } from "./print-counts.ts";

/** Options as they were given. */
interface UpgradeOptions {
  readonly dryRun?: boolean;
  readonly rate?: string;
  readonly concurrency?: string;
}

/** `partita upgrade`: upgrades every table of a module. Returns the exit code: 1 when rows are left behind. */
export async function upgrade(args: readonly string[], options: UpgradeOptions): Promise<number> {
  const { dryRun = false, rate, concurrency } = options;
  const limits = {
    ...(rate !== undefined && { rate: wholeNumberOf("--rate", rate) }),
    ...(concurrency !== undefined && { concurrency: wholeNumberOf("--concurrency", concurrency) }),
  };
  const { core, tables, storage } = await loadTarget(args);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  let isClean = true;
  try {
    for (const { table, classes } of tables) {
      const line = jobProgressLine(table);
      try {
        const report = await core.upgradeTable(storage, classes, {
          dryRun,
          ...limits,
          signal: stop.signal,
          onProgress: ({ phase, read, upgraded }) =>
            line.show(phase, read, `${upgraded.toLocaleString("en")} upgraded`),
        });
        line.end();
        print(report);
        isClean &&= report.isClean || report.isDryRun;
      } catch (error) {
        line.end();
        if (stop.signal.aborted) {
          console.log(`${table}: stopped. Call it again to go on where it was.`);
          return 130;
        }
        if (core.ModelError.is(error) && error.code === "model.no-upgrades") {
          console.log(`${table}: no upgrades declared`);
          continue;
        }
        // The other tables are upgraded all the same.
        console.error(`${table}: ${(error as Error).message}`);
        isClean = false;
      }
    }
  } finally {
    await storage.close();
  }
  return isClean ? 0 : 1;
}

function print({ table, before, after, upgraded, left, leftCount, isClean, isDryRun }: UpgradeReport): void {
  console.log(`${table}: before`);
  for (const line of linesOf(before)) console.log(line);
  console.log(isDryRun ? `${upgraded.toLocaleString("en")} rows would be upgraded` : `${table}: after`);
  if (!isDryRun) for (const line of linesOf(after)) console.log(line);
  for (const { key, reason } of left)
    console.log(
      `  left behind: (${JSON.stringify(key.partitionKey)}, ${JSON.stringify(key.rowKey)}): ${reason.message}`,
    );
  if (leftCount > left.length) console.log(`  and ${leftCount - left.length} more`);
  if (isClean)
    console.log(
      `${table} is clean. Say so in the model, and queries need not look for older rows: upgrades(…).clean()`,
    );
}
