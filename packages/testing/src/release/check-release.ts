import type { EntityClass } from "@partita/core/models";
import { type CheckReleaseOptions, checkReleaseOptions } from "./check-release-options.ts";
import type { ReleaseReport } from "./release-report.ts";

/**
 * Runs two releases of a model on the same storage, and reports how each reads the other's rows: by class and property,
 * with the shortest history for each loss. Classes are matched by table and kind. All orders of up to four actions are
 * tried (insert, change, replace and delete, by either release), then random histories with interleaved requests. The
 * same seed gives the same report. Values are generated from the types of the properties.
 *
 * ```ts
 * const report = await checkRelease([OldNote], [Note]);
 * if (!report.isCompatible) throw new Error(describeRelease(report));
 * ```
 *
 * @param older - the entity classes of the release that is running
 * @param newer - the entity classes of the release that will run next to it
 * @throws OptionError `release.option`; ModelError for a class with an invalid declaration
 */
export async function checkRelease(
  older: readonly EntityClass[],
  newer: readonly EntityClass[],
  options: CheckReleaseOptions = {},
): Promise<ReleaseReport> {
  checkReleaseOptions(older, newer, options);
  // Loaded on demand, with fast-check, since only tests that compare releases need it.
  const { runRelease } = await import("./run/run-release.ts");
  return runRelease({ old: older, new: newer }, options);
}
