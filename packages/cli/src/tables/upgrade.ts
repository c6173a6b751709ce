import type { UpgradeReport } from "@partita/maintenance";
import type { Limits } from "../commands/shared.ts";
import { loadTarget, type Target } from "../modules/load-classes.ts";
import { inSession, type Session } from "../session/session.ts";
import { shownError } from "../session/shown-error.ts";
import { jobProgress, leftLines, linesOf } from "./print.ts";

/** Options as given. */
interface UpgradeOptions extends Limits {
  readonly dryRun?: boolean;
}

/**
 * `partita upgrade`: upgrades every table of a module. Returns the exit code: 1 if rows are left in an older
 * version.
 */
export const upgrade = (args: readonly string[], options: UpgradeOptions): Promise<number> =>
  inSession(
    async (session) => {
      const target = await loadTarget(args);
      await using _closed = target.storage;
      let isClean = true;
      for (const table of target.tables)
        isClean = (await upgradeOne(target, table, options, session)) && isClean;
      return isClean ? 0 : 1;
    },
    () => "Run it again. It continues where it stopped.",
  );

/** Whether all rows of a table are in the current version. */
async function upgradeOne(
  { core, storage }: Target,
  { table, classes }: Target["tables"][number],
  options: UpgradeOptions,
  session: Session,
): Promise<boolean> {
  const { out, bar, say, signal } = session;
  const show = jobProgress(session, table);
  try {
    const report = await core.upgradeTable(storage, classes, {
      ...options,
      signal,
      onProgress: ({ phase, read, upgraded }) =>
        show(phase, read, `${upgraded.toLocaleString("en")} upgraded`),
    });
    bar.end();
    for (const line of linesOfReport(report)) await out.line(line);
    return report.isClean || report.isDryRun;
  } catch (error) {
    signal.throwIfAborted();
    if (core.ModelError.is(error) && error.code === "model.no-upgrades") {
      await out.line(`${table}: no upgrades declared`);
      return true;
    }
    // The other tables are still upgraded.
    say(`${table}: ${shownError(error).message}`);
    return false;
  }
}

function linesOfReport(report: UpgradeReport): string[] {
  const { table, before, after, upgraded, left, leftCount, isClean, isDryRun } = report;
  return [
    `${table}: before`,
    ...linesOf(before),
    ...(isDryRun
      ? [`${upgraded.toLocaleString("en")} rows would be upgraded`]
      : [`${table}: after`, ...linesOf(after)]),
    ...leftLines(left, leftCount, "left behind"),
    ...(isClean
      ? [
          `${table} is clean. Declare that in the model with upgrades(…).clean(), and queries don't need to look for older rows.`,
        ]
      : []),
  ];
}
