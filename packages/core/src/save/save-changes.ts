import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";
import { applyTo, type RecoverySource } from "../recovery/apply-outcomes.ts";
import { notSent, type Outcome, unknown } from "../recovery/outcome.ts";
import { type Batch, planBatches } from "./plan-batches.ts";
import { sendBatches } from "./send-batches.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { SaveError } from "./save-error.ts";
import { StateError } from "../errors/state-error.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import type { UndeclaredPolicy } from "../model/undeclared-policy.ts";
import type { Retries } from "../storage/attempts.ts";
import { beginFlight } from "../unit-of-work/accept.ts";
import type { ChangeSet, TrackedEntity, UncertainWrite } from "../unit-of-work/tracked-entity.ts";
import { newWriteId } from "../unit-of-work/write-id.ts";
import { abortedEntry, collectChanges, refused, validated } from "./collect-changes.ts";
import { checkLateErrors, failedSave, invalidSave } from "./describe-save.ts";
import { type ContextHooks, type HookContext, runInside } from "../observe/hooks.ts";
import { fenceDoubts, learnVersions } from "./prepare-save.ts";
import { type Resolved, resolveUncertain, type Told } from "../recovery/read-in-doubt-writes.ts";
import type { CheckedOptions, CheckedSave } from "./save-options.ts";
import type { EntityValidator } from "./validate-entities.ts";

/** What a save works with. */
export interface SaveSource extends RecoverySource {
  /** Whose hooks and validator run. */
  readonly context: HookContext;
  readonly retries: Retries;
  readonly hooks: ContextHooks;
  readonly validate: EntityValidator | undefined;
  /** What to do about values that no class declares; undefined for what holds by itself. */
  readonly undeclared: UndeclaredPolicy | undefined;
}

/** Saves of every context, for tracing: `partita:save`. */
const channel: TracingChannel<object> = tracingChannel("partita:save");

/** Saves, and tells tracing channels of it; free while nobody looks on. */
export async function traceSave(source: SaveSource, checked: CheckedSave): Promise<readonly SaveResult[]> {
  if (channel.hasSubscribers === false) return saveTracked(source, checked);
  const event = { storage: source.storage.description, pending: source.tracker.pending().length };
  // Tracing channels publish what a promise resolves to: entities are kept from them.
  let results: readonly SaveResult[] = [];
  await channel.tracePromise(async () => {
    results = await saveTracked(source, checked);
  }, event);
  return results;
}

/**
 * Settles what earlier saves left open, runs `saving` hooks, computes the changes, validates all of them, then sends;
 * every answer takes effect as it arrives.
 */
async function saveTracked(
  source: SaveSource,
  { options, only }: CheckedSave,
): Promise<readonly SaveResult[]> {
  const { tracker, lateErrors } = source;
  const known = only && new Set(Array.from(tracker.entities.values(), ({ entity }) => entity));
  // What hooks add is saved along with what they were told of.
  const isInScope = ({ entity }: TrackedEntity): boolean =>
    only?.has(entity) !== false || known?.has(entity) === false;
  const inScope = (): TrackedEntity[] => tracker.pending().filter(isInScope);
  lateErrors.length = 0;

  const first = await saveOnce(source, options, inScope, true);
  const results = await saveOverLateWrites(source, options, first);
  await tellSaved(source, results);
  if (results.some((result) => result.outcome !== "committed")) throw failedSave(results);
  checkLateErrors(lateErrors, results);
  return results;
}

interface Pass {
  readonly results: readonly SaveResult[];
  readonly batches: readonly Batch[];
}

/**
 * A conflict may be with a write of our own that took effect late. Where the rows prove it, that is taken as stored,
 * and the whole transaction is sent again over it.
 */
async function saveOverLateWrites(
  source: SaveSource,
  options: CheckedOptions,
  { results, batches }: Pass,
): Promise<readonly SaveResult[]> {
  const { storage, tracker } = source;
  const refusedEntries = results.flatMap(({ entity, outcome, error }) => {
    const entry = tracker.entities.ofEntity(entity);
    const mayBeOwn = outcome === "rejected" && error instanceof ConflictError;
    return mayBeOwn && entry !== undefined && entry.uncertain.length > 0 ? [entry] : [];
  });
  if (refusedEntries.length === 0) return results;
  const { committed } = await resolveUncertain(storage, tracker, refusedEntries, applyTo(source), options);
  const settled = new Set(committed.map(({ entry }) => entry));
  const again = new Set(
    batches
      .filter(({ changes }) => changes.some(({ entry }) => settled.has(entry)))
      .flatMap(({ changes }) => changes.map(({ entry }) => entry)),
  );
  const second = await saveOnce(
    source,
    options,
    () => tracker.pending().filter((entry) => again.has(entry)),
    false,
  )
    .then((pass) => pass.results)
    .catch((error: unknown) => {
      if (error instanceof SaveError) return error.results;
      throw error;
    });
  const newest = new Map(
    [...committed, ...second.map((result) => ({ result }))].map(({ result }) => [result.entity, result]),
  );
  return results.map((result) => newest.get(result.entity) ?? result);
}

async function saveOnce(
  source: SaveSource,
  options: CheckedOptions,
  inScope: () => TrackedEntity[],
  runsHooks: boolean,
): Promise<Pass> {
  const { storage, tracker, retries, validate, hooks, context } = source;
  const { batch } = options;
  const apply = applyTo(source);

  // Looking for changes reads every tracked entity: it is done again only where something may have changed them.
  let ready = inScope();
  const isSettled = ready.every(({ uncertain, etag, snapshot }) => {
    return uncertain.length === 0 && (etag !== undefined || snapshot === undefined);
  });
  const resolved = isSettled ? nothingOpen : await resolveUncertain(storage, tracker, ready, apply, options);
  const versions = isSettled ? [] : await learnVersions(storage, tracker, inScope(), options);
  const blocked = new Map([...resolved.unknown, ...versions].map((one) => [one.entry, one]));
  const open = (): TrackedEntity[] => inScope().filter((entry) => !blocked.has(entry));
  if (runsHooks && hooks.saving !== undefined) await runSavingHooks(source, open);
  if (!isSettled || hooks.saving !== undefined) ready = open();
  for (const entry of ready) fenceDoubts(entry);
  const changeOptions = {
    update: options.update,
    isExplicit: tracker.isExplicit,
    writeId: newWriteId(),
    undeclared: source.undeclared,
    entities: tracker.entities,
  };
  // From here on, what is sent is fixed.
  const changes =
    validate === undefined
      ? collectChanges(ready, changeOptions)
      : await runInside(context, () => validated(() => collectChanges(open(), changeOptions), validate));
  if (batch === "atomic" && blocked.size > 0 && changes.length > 0)
    return { results: [...told(blocked.values()), ...changes.map(abortedWith(blocked.size))], batches: [] };
  const batches = changes.length === 0 ? [] : planFor(batch, changes);

  const sent = new Set(changes.map(({ entry }) => entry));
  const doubtful = ready.filter((entry) => entry.uncertain.length > 0 && !sent.has(entry));

  for (const change of changes) beginFlight(change);
  const outcomes = await sendBatches(storage, batches, {
    ...options,
    retries: options.retry === undefined ? retries : { ...retries, policy: options.retry },
    onOutcomes: apply,
  });
  return {
    results: inOrder(outcomes, changes, [
      ...resolved.committed,
      ...blocked.values(),
      ...doubtful.map(stillUnknown),
    ]),
    batches,
  };
}

const nothingOpen: Resolved = { committed: [], disproved: new Set(), unknown: [] };

const told = (others: Iterable<Told>): SaveResult[] => Array.from(others, ({ result }) => result);

/** What is told of changes that were to be stored together with others that cannot be sent. */
const abortedWith =
  (count: number) =>
  (change: ChangeSet): SaveResult => ({
    ...notSent(change, `${count} other change(s) of this atomic save cannot be sent`).result,
    aborted: true,
  });

/** What is told of an entity that has nothing to send, while a write of it may yet be stored. */
function stillUnknown(entry: TrackedEntity): Told {
  const write = entry.uncertain.at(-1) as UncertainWrite;
  const [outcome] = unknown(
    { ...write, changes: write.changes.filter((c) => c.entry === entry) },
    write.error,
    0,
  );
  const result = outcome?.result ?? { ...refused(entry, write.error), outcome: "unknown" as const };
  return { entry, result };
}

/** Runs the `saving` hook for every pending entity. @throws SaveError `save.invalid` when one throws */
async function runSavingHooks(
  { context, hooks, tracker }: SaveSource,
  entries: () => readonly TrackedEntity[],
): Promise<void> {
  const { saving } = hooks;
  if (saving === undefined) return;
  const seen = new Set<TrackedEntity>();
  const most = tracker.entities.size + maxAddedByHooks;
  let round = 0;
  // A hook may add or change further entities: it then runs for those, too.
  for (let turn = entries(); turn.length > 0; turn = entries().filter((entry) => !seen.has(entry))) {
    if (++round > maxHookRounds) throw endlessHook(turn, entries(), round - 1);
    // Hooks without a wait of their own must not keep everything else waiting.
    if (round > 1) await nextTurn();
    for (const entry of turn) {
      seen.add(entry);
      // Another's hook may have let it go.
      if (tracker.entities.ofEntity(entry.entity) !== entry) continue;
      try {
        await runInside(context, () => saving(entry.entity, tracker.stateOf(entry), context));
        if (tracker.entities.size > most) throw endless(entry, round);
      } catch (error) {
        const others = entries().filter((other) => other !== entry);
        throw invalidSave([refused(entry, asError(error))], others.map(abortedEntry));
      }
    }
  }
}

/** How often `saving` hooks may lead to further entities in one save. */
const maxHookRounds = 100;
/** Entities that `saving` hooks may add in one save. */
const maxAddedByHooks = 100_000;

function endlessHook(
  turn: readonly TrackedEntity[],
  all: readonly TrackedEntity[],
  rounds: number,
): SaveError {
  const [first] = turn as readonly [TrackedEntity];
  return invalidSave(
    [refused(first, endless(first, rounds))],
    all.filter((entry) => entry !== first).map(abortedEntry),
  );
}

const endless = ({ model, key }: TrackedEntity, rounds: number): StateError =>
  new StateError(
    "context.saving-hook-endless",
    `The "saving" hook goes on adding or changing entities: it has done so in ${rounds} round(s), the last time for ${subjectOf(model, key)}, and would never end. Let it do nothing for entities that it has added or changed itself.`,
    { entity: model.name, rounds },
  );

async function tellSaved(
  { context, hooks, lateErrors }: SaveSource,
  results: readonly SaveResult[],
): Promise<void> {
  const { saved } = hooks;
  if (saved === undefined) return;
  for (const result of results) {
    try {
      await runInside(context, () => saved(result));
    } catch (error) {
      lateErrors.push(error);
    }
  }
}

function planFor(mode: CheckedOptions["batch"], changes: readonly ChangeSet[]): Batch[] {
  switch (mode) {
    case "auto":
      return planBatches(changes);
    case "none":
      return changes.map((change) => ({ table: change.entry.model.table, changes: [change] }));
    case "atomic": {
      const batches = planBatches(changes);
      if (batches.length === 1) return batches;
      const sizes = batches.map(({ table, changes: [first, ...rest] }) => {
        const partition = JSON.stringify(first?.entry.key.partitionKey);
        return `${table} ${partition}: ${rest.length + 1}`;
      });
      const listed = sizes.length > 5 ? `${sizes.slice(0, 5).join(", ")}, …` : sizes.join(", ");
      throw new SaveError(
        "save.not-atomic",
        `Nothing was sent: ${changes.length} changes need ${batches.length} transactions (${listed}), and batch: "atomic" asks for one. A transaction takes at most 100 operations and 4 MiB of one table and partition.`,
        changes.map((change) => notSent(change, "the changes do not fit one transaction").result),
      );
    }
    default:
      return mode satisfies never;
  }
}

/** One result per entity, in the order of the changes; what earlier saves left open comes first. */
function inOrder(
  outcomes: readonly Outcome[],
  changes: readonly ChangeSet[],
  others: readonly Told[],
): SaveResult[] {
  const byChange = new Map(outcomes.map(({ change, result }) => [change, result]));
  const sent = new Set(changes.map(({ entry }) => entry));
  const settled = others.filter(({ entry }) => !sent.has(entry)).map(({ result }) => result);
  return [...settled, ...changes.map((change) => byChange.get(change) as SaveResult)];
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
