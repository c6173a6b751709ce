import { isError } from "../errors/built-ins.ts";
import { runInside } from "../observe/hooks.ts";
import { applyOutcomes, notSent, type Outcome, unknownOutcomes } from "../recovery/outcome.ts";
import { findOverwritten } from "../recovery/late-upserts.ts";
import { identifyWrites, unlessInDoubt } from "../recovery/ledger.ts";
import type { EntryResult } from "../recovery/resolve-writes.ts";
import {
  type ChangeOptions,
  changeSetOf,
  needsRecovery,
  type PendingEntity,
} from "../unit-of-work/change-set.ts";
import { withCompanions } from "../unit-of-work/companions.ts";
import { messagesBeside } from "../unit-of-work/accept.ts";
import { PendingSearch } from "../unit-of-work/pending-search.ts";
import { checkUndeclared } from "../unit-of-work/check-undeclared.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { checkAssignable, systemNames } from "../unit-of-work/state-errors.ts";
import {
  type ChangeSet,
  type InDoubtWrite,
  noteFailure,
  type TrackedEntity,
} from "../unit-of-work/tracked-entity.ts";
import { parentsWithLostChildren } from "./check-parents.ts";
import { isUncertainlyUnique } from "./check-unique-indexes.ts";
import { checkLateErrors, failedSave, invalidSave } from "./describe-save.ts";
import type { Batch } from "./plan-batches.ts";
import { type PreparedSave, prepareSave } from "./prepare-save.ts";
import { reportSaved } from "./run-hooks.ts";
import type { CheckedOptions, CheckedSave } from "./save-options.ts";
import type { Pass, SaveSource } from "./save-source.ts";
import { saveOverLateWrites } from "./save-over-late-writes.ts";
import { scopeOf } from "./save-scope.ts";
import { batchesOf, sendBatch, sendBatches } from "./send-batches.ts";
import { traceSave } from "./trace-save.ts";
import { abortedEntry, refused } from "./unsent-results.ts";
import { validated } from "./validate-entities.ts";
import { warnOfLargeContext } from "./warn-of-large-context.ts";

/** Saves all that is pending, or what is asked for and what hooks add meanwhile. */
export async function saveTracked(
  source: SaveSource,
  { options, only }: CheckedSave,
): Promise<readonly SaveResult[]> {
  const { tracker } = source;
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

/**
 * Resolves what earlier saves left in doubt, runs `saving` hooks, computes the changes, validates all of them, then sends;
 * every answer takes effect as it arrives.
 */
async function saveFound(
  source: SaveSource,
  options: CheckedOptions,
  search: PendingSearch,
): Promise<readonly SaveResult[]> {
  const { lateErrors, hooks, tracker } = source;
  lateErrors.length = 0;
  const pass = await saveOnce(source, options, search, true);
  let { results, isStored } = pass;
  if (!isStored) {
    const saved = await saveOverLateWrites(source, options, pass, (scope) =>
      saveOnce(source, options, new PendingSearch(tracker, scope), false),
    );
    results = unlessInDoubt(tracker, pass.changes, saved);
    isStored = results.every(({ outcome }) => outcome === "committed");
  }
  if (hooks.saved !== undefined) await reportSaved(source, results);
  if (!isStored) throw failedSave(results);
  if (lateErrors.length > 0) checkLateErrors(lateErrors, results);
  return results;
}

async function saveOnce(
  source: SaveSource,
  options: CheckedOptions,
  search: PendingSearch,
  runsHooks: boolean,
): Promise<Pass> {
  const { tracker, validators } = source;
  // What was overwritten is found by the comparison after it.
  if (hasLateUpserts(tracker)) {
    await findOverwritten(source, options);
    search.forget();
  }
  let ready = search.again();
  const prepared = mustPrepare(source, ready, runsHooks)
    ? await prepareSave(source, options, { search, ready, runsHooks })
    : undefined;
  if (prepared !== undefined) ready = prepared.find();
  const collect = (found: readonly PendingEntity[]): ChangeSet[] =>
    collectChanges(source, found, { update: options.update, prepared, search });
  // From here on, what is sent is fixed.
  const changes =
    validators === undefined
      ? collect(ready)
      : await runInside(source.context, () =>
          validated(
            // After validators ran, any entity may have changed.
            (isFirst) => collect(isFirst ? ready : (prepared?.findAnew() ?? search.everything())),
            validators,
          ),
        );
  if (
    options.batch === "atomic" &&
    prepared !== undefined &&
    prepared.blocked.length > 0 &&
    changes.length > 0
  )
    return { results: abortedResults(prepared, changes), batches: [], changes, isStored: false };
  const others = prepared === undefined ? [] : unsentOf(prepared, ready, changes);
  if (changes.length === 0) return passOf([], [], changes, others);
  let batches = batchesOf(options.batch, changes);
  const { mustIdentify, hasMessages } = takeOver(changes);
  const sendOptions = { ...options, retries: retriesOf(source, options) };
  if (hasMessages) {
    const { announceMessages } = await import("./announce-messages.ts");
    const announced = await announceMessages(batches, sendOptions);
    if (announced.refused !== undefined) {
      applyOutcomes(source, announced.refused);
      return passOf(batches, announced.refused, changes, others);
    }
    ({ batches } = announced);
  }
  if (mustIdentify) batches = identifyWrites(batches);
  const [first] = batches;
  const outcomes =
    batches.length === 1 && first !== undefined
      ? applied(source, await sendBatch(source.storage, first, sendOptions))
      : await sendBatches(source, batches, sendOptions);
  return passOf(batches, outcomes, changes, others);
}

/** Lets answers take effect. */
function applied(source: SaveSource, outcomes: readonly Outcome[]): readonly Outcome[] {
  applyOutcomes(source, outcomes);
  return outcomes;
}

const retriesOf = ({ retries }: SaveSource, { retry }: CheckedOptions): SaveSource["retries"] =>
  retry === undefined ? retries : { ...retries, policy: retry };

/** Whether hooks are to run, or anything is to be found out, before changes are sent. */
function mustPrepare(
  { hooks, indexStates }: SaveSource,
  ready: readonly PendingEntity[],
  runsHooks: boolean,
): boolean {
  if (runsHooks && hooks.saving !== undefined) return true;
  if (ready.some(needsRecovery)) return true;
  return ready.some(({ entry }) => isUncertainlyUnique(indexStates, entry.model));
}

/** Whether an upsert may still arrive, over something newer. */
const hasLateUpserts = ({ removed, entities }: ChangeTracker): boolean =>
  removed.late.length + removed.left.length > 0 ||
  entities.withWork().some(({ marks }) => marks.late.length > 0);

/** What is sent is frozen: later changes, `update()` included, count as made after this save. */
function takeOver(changes: readonly ChangeSet[]): { mustIdentify: boolean; hasMessages: boolean } {
  let [mustIdentify, hasMessages] = [false, false];
  for (const change of changes) {
    const { entry } = change;
    entry.isInFlight = true;
    entry.explicitlyModified = undefined;
    if (change.messages !== undefined) [hasMessages, entry.messages] = [true, messagesBeside(change)];
    mustIdentify ||= entry.inDoubt.length > 0 || entry.model.options.proof !== "content";
  }
  return { mustIdentify: mustIdentify || hasMessages, hasMessages };
}

interface CollectOptions extends Pick<ChangeOptions, "update"> {
  readonly prepared: PreparedSave | undefined;
  readonly search: PendingSearch;
}

/** @throws SaveError `save.invalid` listing every entity that cannot be stored; nothing is sent then */
function collectChanges(
  source: SaveSource,
  pending: readonly PendingEntity[],
  { update, prepared, search }: CollectOptions,
): ChangeSet[] {
  const { entities, isExplicit } = source.tracker;
  const options: ChangeOptions = { update, isExplicit };
  const { undeclared } = source;
  const changes: ChangeSet[] = [];
  const problems = parentsWithLostChildren(entities, search.parents(), undeclared);
  for (const one of pending) {
    const { entry } = one;
    try {
      const change = changeSetOf(one, options);
      if (change === undefined) continue;
      if (change.after !== undefined) checkUndeclared(entry, undeclared);
      if (change.after !== undefined && !Object.isExtensible(entry.entity))
        checkAssignable(entry.entity, entry.model, entry.key, "The save", systemNames);
      changes.push(
        entry.model.indexes.length === 0 ? change : withCompanions(change, prepared?.before.get(entry)),
      );
    } catch (error) {
      if (!isError(error)) throw error;
      noteFailure(entry, error);
      problems.push(refused(entry, error));
    }
  }
  if (problems.length > 0)
    throw invalidSave(
      problems,
      changes.map(({ entry }) => abortedEntry(entry)),
    );
  return changes;
}

/** What is reported beside the changes that are sent. */
function unsentOf(
  { committed, blocked }: PreparedSave,
  ready: readonly PendingEntity[],
  changes: readonly ChangeSet[],
): EntryResult[] {
  const sent = new Set(changes.map(({ entry }) => entry));
  const inDoubt = ready.filter(({ entry }) => entry.inDoubt.length > 0 && !sent.has(entry));
  return [...committed, ...blocked, ...inDoubt.map(({ entry }) => stillUnknown(entry))];
}

/** The result of an entity that has nothing to send, while a write of it may yet be stored. */
function stillUnknown(entry: TrackedEntity): EntryResult {
  const write = entry.inDoubt.at(-1) as InDoubtWrite;
  const own = { ...write, changes: write.changes.filter((change) => change.entry === entry) };
  const [outcome] = unknownOutcomes(own, write.error, 0);
  const result = outcome?.result ?? { ...refused(entry, write.error), outcome: "unknown" };
  return { entry, result };
}

/** The results of an atomic save of which some changes cannot be sent: the others are not, either. */
function abortedResults({ blocked }: PreparedSave, changes: readonly ChangeSet[]): SaveResult[] {
  const why = `${blocked.length} other change(s) of this atomic save cannot be sent`;
  const aborted = changes.map((change): SaveResult => ({ ...notSent(change, why).result, aborted: true }));
  return [...blocked.map(({ result }) => result), ...aborted];
}

/** One result per entity, in the order of the changes; what earlier saves left in doubt comes first. */
function passOf(
  batches: readonly Batch[],
  outcomes: readonly Outcome[],
  changes: readonly ChangeSet[],
  others: readonly EntryResult[],
): Pass {
  const results =
    others.length === 0 && isInOrder(outcomes, changes)
      ? outcomes.map(({ result }) => result)
      : resultsByEntry(outcomes, changes, others);
  let isStored = true;
  for (const { outcome } of results) if (outcome !== "committed") isStored = false;
  return { results, batches, changes, isStored };
}

/** Whether outcomes are of the changes one by one, as they are where nothing was moved or answered out of turn. */
const isInOrder = (outcomes: readonly Outcome[], changes: readonly ChangeSet[]): boolean =>
  outcomes.length === changes.length && outcomes.every(({ change }, i) => change === changes[i]);

function resultsByEntry(
  outcomes: readonly Outcome[],
  changes: readonly ChangeSet[],
  others: readonly EntryResult[],
): SaveResult[] {
  const sent = new Map<TrackedEntity, SaveResult>();
  for (const { change, result } of outcomes) sent.set(change.entry, result);
  const results: SaveResult[] = [];
  for (const { entry, result } of others) if (!sent.has(entry)) results.push(result);
  for (const change of changes) results.push(sent.get(change.entry) as SaveResult);
  return results;
}
