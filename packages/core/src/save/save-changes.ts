import { findOverwritten } from "../recovery/delayed-writes.ts";
import { PendingSearch } from "../unit-of-work/pending-search.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { resultsOf, withFound } from "./conclude-save.ts";
import { checkLateErrors, failedSave } from "./describe-save.ts";
import { resolveRefusals } from "./lost-responses.ts";
import { reportSaved } from "./run-hooks.ts";
import { newSave } from "./save.ts";
import { SaveError } from "./save-error.ts";
import type { CheckedOptions, CheckedSave } from "./save-options.ts";
import { scopeOf } from "./save-scope.ts";
import type { SaveSource } from "./save-source.ts";
import { stages } from "./stages.ts";
import { traceSave } from "./trace-save.ts";
import { warnOfLargeContext } from "./warn-of-large-context.ts";

/** Saves all that is pending, or the listed entities and those that hooks add meanwhile. */
export async function saveTracked(
  source: SaveSource,
  { options, only }: CheckedSave,
): Promise<readonly SaveResult[]> {
  const { tracker, lateErrors } = source;
  lateErrors.length = 0;
  // Before anything is compared: what a delayed write overwrote is pending again.
  const looking = findOverwritten(source, options);
  if (looking !== undefined) await looking;
  if (only === undefined) {
    warnOfLargeContext(tracker);
    const search = new PendingSearch(tracker);
    return traceSave(source, search, () => saveFound(source, options, search));
  }
  try {
    const search = new PendingSearch(tracker, scopeOf(tracker.entities, only));
    return await traceSave(source, search, () => saveFound(source, options, search));
  } finally {
    tracker.entities.ignoreArrivals();
  }
}

const isCommitted = ({ outcome }: SaveResult): boolean => outcome === "committed";

/** Takes a save through its stages, and reports what became of it. */
async function saveFound(
  source: SaveSource,
  options: CheckedOptions,
  search: PendingSearch,
): Promise<readonly SaveResult[]> {
  const save = newSave(source, options, search);
  try {
    for (const { isNeeded, run } of stages) {
      if (save.outcomes !== undefined) break;
      const running = isNeeded?.(save) === false ? undefined : run(save);
      if (running !== undefined) await running;
    }
  } catch (error) {
    throw SaveError.is(error) ? withFound(error, save) : error;
  }
  let results = resultsOf(save);
  const isStored = results.every(isCommitted);
  if (!isStored) results = await resolveRefusals(save, results);
  if (source.hooks.saved !== undefined) await reportSaved(source, results);
  if (!isStored && !results.every(isCommitted)) throw failedSave(results);
  if (source.lateErrors.length > 0) checkLateErrors(source.lateErrors, results);
  return results;
}
