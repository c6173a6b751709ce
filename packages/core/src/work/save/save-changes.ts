// `TableContext.saveChanges()` calls this file, which runs the stages of a save in order: resolve earlier attempts,
// run hooks, collect and validate changes, send them, and report results. The model is the flush of SQLAlchemy
// (orm/unitofwork.py).

import { identifyWrites } from "../recovery/marker.ts";
import type { Outcome } from "../recovery/outcome.ts";
import { mustReadBefore } from "../unit-of-work/index-rows.ts";
import { PendingSearch } from "../unit-of-work/pending-search.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { type ChangeSet, needsMarker, type TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { checkUniqueIndexes } from "./check-unique-indexes.ts";
import { collectChanges } from "./collect-changes.ts";
import { checkLateErrors, failedSave } from "./describe-save.ts";
import { takeBackFills } from "./fill-on-save.ts";
import { moveFormerRows } from "./former-rows.ts";
import { groupChanges } from "./group-changes.ts";
import { learnVersions, readIndexedRows } from "./learn-rows.ts";
import { findOverwritten } from "../recovery/delayed-writes.ts";
import {
  isInDoubt,
  keepEarlierOut,
  resolveEarlier,
  resolveRefusals,
  unlessStored,
  unsentOf,
} from "./earlier-attempts.ts";
import { reportSaved, runSavingHooks } from "./run-hooks.ts";
import type { Save, SaveSource } from "./save-state.ts";
import { SaveError } from "./save-error.ts";
import type { CheckedOptions, CheckedSave } from "./save-options.ts";
import { sendBatches } from "./send-batches.ts";
import { saveChannel, traceSave } from "./trace-save.ts";
import { manySaves, warnOfLargeContext } from "./warn-of-large-context.ts";

/** Saves everything pending, or only the listed entities and those that hooks add meanwhile. */
export async function saveTracked(
  source: SaveSource,
  { options, only }: CheckedSave,
): Promise<readonly SaveResult[]> {
  const { tracker, lateErrors } = source;
  const { entities } = tracker;
  const saveSearched = (search: PendingSearch): Promise<readonly SaveResult[]> =>
    saveChannel.hasSubscribers === false
      ? saveFound(source, options, search)
      : traceSave(source, search, () => saveFound(source, options, search));
  lateErrors.length = 0;
  // Before anything is compared: values that a delayed write overwrote become pending again.
  if (!source.ledger.isEmpty) await findOverwritten(source, options);
  if (only === undefined) {
    if (!tracker.isExplicit && ++tracker.fullSaves >= manySaves) warnOfLargeContext(tracker);
    return saveSearched(new PendingSearch(tracker));
  }
  // The listed entities, and those that hooks add during the save.
  const arrivals = entities.collectArrivals();
  const scope = (): Iterable<TrackedEntity> => [
    ...[...only].flatMap((entity) => entities.ofEntity(entity) ?? []),
    ...arrivals,
  ];
  try {
    return await saveSearched(new PendingSearch(tracker, scope));
  } finally {
    entities.ignoreArrivals();
  }
}

const isCommitted = ({ outcome }: SaveResult): boolean => outcome === "committed";

/** Runs the stages of a save, and reports its results. */
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
    let results = resultsOf(save);
    const isStored = results.every(isCommitted);
    if (!isStored) results = await resolveRefusals(save, results);
    if (source.hooks.saved !== undefined) await reportSaved(source, results);
    if (!isStored && !results.every(isCommitted)) throw failedSave(results);
    if (source.lateErrors.length > 0) checkLateErrors(source.lateErrors, results);
    return results;
  } catch (error) {
    // Without outcomes, a stage refused the save before anything was sent.
    throw SaveError.is(error) && save.outcomes === undefined ? withFound(error, save) : error;
  } finally {
    if (save.filled !== undefined) takeBackFills(save);
  }
}

const newSave = (source: SaveSource, options: CheckedOptions, search: PendingSearch): Save => ({
  source,
  options,
  search,
  ready: search.again(),
  resolved: [],
  blocked: new Map(),
  before: new Map(),
  changes: [],
  batches: [],
  outcomes: undefined,
});

/** A stage of a save. */
interface Stage {
  /** Whether a save needs it; always when absent. */
  readonly isNeeded?: (save: Save) => boolean;
  readonly run: (save: Save) => void | Promise<void>;
}

const isWithoutVersion = ({ etag, values, intent }: TrackedEntity): boolean =>
  etag === undefined && (values !== undefined || intent.type === "remove");

/** A stage for the entities that satisfy a condition. */
const stageOf = (
  isMeant: (entry: TrackedEntity) => boolean,
  run: (save: Save, isMeant: (entry: TrackedEntity) => boolean) => Promise<void>,
): Stage => ({
  isNeeded: ({ ready }) => ready.some(({ entry }) => isMeant(entry)),
  run: (save) => run(save, isMeant),
});

const learning = stageOf(isWithoutVersion, learnVersions);

const isIndexed = ({ model }: TrackedEntity): boolean => model.indexes.length > 0;

const sendsMessages = ({ changes }: Save): boolean => changes.some(({ messages }) => messages !== undefined);

const isIdentified = (save: Save): boolean => needsMarker(save.changes) || sendsMessages(save);

/** The stages of a save in their order. Most saves need only those without a condition. */
const stages: readonly Stage[] = [
  stageOf(isIndexed, checkUniqueIndexes),
  { isNeeded: isInDoubt, run: resolveEarlier },
  learning,
  { isNeeded: ({ source }) => source.hooks.saving !== undefined, run: runSavingHooks },
  stageOf(({ model }) => model.options.formerKeys !== undefined, moveFormerRows),
  // A hook may have deleted an entity with an unknown version.
  learning,
  { isNeeded: isInDoubt, run: keepEarlierOut },
  stageOf((entry) => (isIndexed(entry) || entry.isUnread) && mustReadBefore(entry), readIndexedRows),
  { run: collectChanges },
  { run: groupChanges },
  {
    isNeeded: sendsMessages,
    run: async (save) => (await import("./announce-messages.ts")).announceMessages(save),
  },
  { isNeeded: isIdentified, run: (save) => void (save.batches = identifyWrites(save.batches)) },
  { run: sendBatches },
];

/**
 * The results of a save, one for each entity: first those with unknown outcomes from earlier saves, then the changes in
 * order.
 */
function resultsOf(save: Save): readonly SaveResult[] {
  const { outcomes = [], changes } = save;
  const others = unsentOf(save);
  if (others.length === 0 && isInOrder(outcomes, changes)) return outcomes.map(({ result }) => result);
  const sent = new Map(outcomes.map(({ change, result }) => [change.entry, result]));
  return [
    ...others.filter(({ entry }) => !sent.has(entry)).map(({ result }) => result),
    ...changes.map(({ entry }) => sent.get(entry) as SaveResult),
  ];
}

/** Whether there is one outcome for each change, in the same order; not so if responses were processed out of order. */
const isInOrder = (outcomes: readonly Outcome[], changes: readonly ChangeSet[]): boolean =>
  outcomes.length === changes.length && outcomes.every(({ change }, i) => change === changes[i]);

/** The error of a save that was refused before sending, with the results found before that. */
function withFound(error: SaveError, save: Save): SaveError {
  const named = new Set(error.results.map(({ entity }) => entity));
  const others = unsentOf(save).filter(({ result }) => !named.has(result.entity));
  const all = others.length === 0 ? error.results : [...others.map(({ result }) => result), ...error.results];
  const results = unlessStored(save, all);
  const { code, message, cause } = error;
  return results === error.results ? error : new SaveError(code, message, results, cause);
}
