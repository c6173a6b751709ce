import type { EntityClass } from "@partita/core/models";
import { type CheckReleaseOptions, checkReleaseOptions } from "./check-release-options.ts";
import type { ReleaseReport } from "./release-report.ts";

/**
 * Lets two releases of a model work on one storage, and reports what each sees of the other: by class and property, with the
 * shortest history for each loss. The classes of both are matched by table and kind. All orders of up to four acts are tried
 * (insert, change, replace and remove, by either release), then random histories in which their requests mix. The same seed
 * gives the same report. Values are made up from the types of the properties.
 *
 * ```ts
 * const report = await checkRelease([OldNote], [Note]);
 * if (!report.isCompatible) throw new Error(describeRelease(report));
 * ```
 *
 * @param older - the entity classes of the release that is running
 * @param newer - those of the release that is to run next to it
 * @throws OptionError `release.option`; ModelError for a class that is declared wrongly
 */
export async function checkRelease(
  older: readonly EntityClass[],
  newer: readonly EntityClass[],
  options: CheckReleaseOptions = {},
): Promise<ReleaseReport> {
  checkReleaseOptions(older, newer, options);
  // Only tests that compare releases load it, and fast-check.
  const { runRelease } = await import("./run/run-release.ts");
  return runRelease({ old: older, new: newer }, options);
}
