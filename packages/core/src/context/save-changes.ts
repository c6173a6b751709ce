import { type Outcome } from "../batch/outcome.ts";
import { planBatches, type Batch } from "../batch/plan-batches.ts";
import { about } from "../batch/outcome.ts";
import { sendBatches } from "../batch/send-batches.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { SaveError, type SaveResult } from "../errors/save-error.ts";
import { StateError } from "../errors/state-error.ts";
import { checkChoice, checkOptions } from "../errors/unknown-option.ts";
import { subjectOf } from "../materialize/encode-entity.ts";
import type { RetryPolicy } from "../storage/retry-policy.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { acceptCommitted, beginFlight, disproveEarlier, keepPending } from "../unit-of-work/accept.ts";
import { type ChangeSet, changeSetOf } from "../unit-of-work/change-set.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { Intent, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { newWriteId } from "../unit-of-work/write-id.ts";
import { failedSave, hookFailed, invalidSave } from "./describe-save.ts";
import { type ContextHooks, runInside } from "./hooks.ts";
import { resolveUncertain } from "./resolve-uncertain.ts";
import { type EntityValidator, validationErrorOf } from "./validate-entities.ts";

/** How a save groups and sends. */
export interface SaveOptions {
  /**
   * `auto` (default): one transaction per table and partition, split where it passes the service's limits. `atomic`:
   * refused before sending unless everything fits one transaction. `none`: one request per entity.
   */
  readonly batch?: "auto" | "atomic" | "none";
  /**
   * How a changed entity is sent: `merge` (default) sends the changed properties only; `replace` sends the whole row,
   * which needs a wholly loaded entity.
   */
  readonly update?: "merge" | "replace";
  /** Saves these entities only; the others stay pending. */
  readonly only?: Iterable<object>;
  /** Whether the removal of an entity that is gone already is a conflict (default), or as good as done. */
  readonly deleteMissing?: "conflict" | "ignore";
  /** Whether the other groups are still sent after one failed; default true. */
  readonly continueOnError?: boolean;
  /** Groups on the way at once; default 8. */
  readonly concurrency?: number;
  /** Cancels the save: what was not sent stays pending, what was sent may have been stored. */
  readonly signal?: AbortSignal;
}

/** Every option there is. */
const optionNames = [
  "batch",
  "update",
  "only",
  "deleteMissing",
  "continueOnError",
  "concurrency",
  "signal",
] as const;

/** What a save works with. */
export interface SaveSource {
  /** Whose hooks and validator run. */
  readonly context: object;
  readonly storage: TableStorage;
  readonly tracker: ChangeTracker;
  readonly retry: RetryPolicy;
  readonly hooks: ContextHooks;
  readonly validate: EntityValidator | undefined;
  /** Errors of hooks that came after a write, and are told at the end. */
  readonly lateErrors: unknown[];
}

type CheckedOptions = Required<Omit<SaveOptions, "only" | "signal">> & Pick<SaveOptions, "signal">;

/** @throws StateError `context.option`, `context.concurrency`, `entity.not-tracked` */
export function checkSaveOptions(
  options: SaveOptions,
  tracker: ChangeTracker,
): { readonly options: CheckedOptions; readonly only: ReadonlySet<TrackedEntity> | undefined } {
  checkOptions("saveChanges(options)", options, optionNames);
  const { batch = "auto", update = "merge", deleteMissing = "conflict" } = options;
  const { continueOnError = true, concurrency = 8, signal, only } = options;
  checkChoice("saveChanges({ batch })", batch, ["auto", "atomic", "none"]);
  checkChoice("saveChanges({ update })", update, ["merge", "replace"]);
  checkChoice("saveChanges({ deleteMissing })", deleteMissing, ["conflict", "ignore"]);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new StateError(
      "context.concurrency",
      "saveChanges({ concurrency }) takes a whole number, 1 or more.",
    );
  const entries =
    only === undefined
      ? undefined
      : new Set([...only].map((e) => tracker.tracked(e, "saveChanges({ only })")));
  return {
    options: { batch, update, deleteMissing, continueOnError, concurrency, ...(signal && { signal }) },
    only: entries,
  };
}

/**
 * Settles what earlier saves left open, runs `saving` hooks, computes the changes, validates all of them, then sends;
 * every answer takes effect as it arrives.
 */
export async function saveTracked(
  source: SaveSource,
  saveOptions: SaveOptions,
): Promise<readonly SaveResult[]> {
  const { tracker, storage, lateErrors } = source;
  const { options, only } = checkSaveOptions(saveOptions, tracker);
  const inScope = (): TrackedEntity[] => tracker.pending().filter((entry) => only?.has(entry) !== false);
  lateErrors.length = 0;

  const results = await saveOverLateWrites(source, options, await saveOnce(source, options, inScope));
  await tellSaved(source, results);
  if (results.some((result) => result.outcome !== "committed")) throw failedSave(results);
  if (lateErrors.length > 0) throw hookFailed(lateErrors[0], results);
  return results;
}

/**
 * A conflict may be with a write of our own that took effect late. Where the rows prove it, that is taken as stored,
 * and what changed since is saved over it.
 */
async function saveOverLateWrites(
  source: SaveSource,
  options: CheckedOptions,
  results: SaveResult[],
): Promise<SaveResult[]> {
  const { storage, tracker } = source;
  const refusedEntries = results.flatMap(({ entity, outcome, error }) => {
    const entry = tracker.entities.ofEntity(entity);
    const mayBeOwn = outcome === "rejected" && error instanceof ConflictError;
    return mayBeOwn && entry !== undefined && entry.uncertain.length > 0 ? [entry] : [];
  });
  if (refusedEntries.length === 0) return results;
  const apply = (outcomes: readonly Outcome[]): void => applyOutcomes(outcomes, tracker);
  const { committed } = await resolveUncertain(storage, tracker, refusedEntries, apply, options.signal);
  const settled = new Set(committed.map(({ change }) => change.entry));
  const again = await saveOnce(source, options, () =>
    tracker.pending().filter((entry) => settled.has(entry)),
  );
  const newest = new Map(
    [...committed.map(({ result }) => result), ...again].map((result) => [result.entity, result]),
  );
  return results.map((result) => newest.get(result.entity) ?? result);
}

async function saveOnce(
  source: SaveSource,
  options: CheckedOptions,
  inScope: () => TrackedEntity[],
): Promise<SaveResult[]> {
  const { storage, tracker, retry, validate, hooks, context } = source;
  const { batch, signal } = options;
  const apply = (outcomes: readonly Outcome[]): void => applyOutcomes(outcomes, tracker);

  const resolved = await resolveUncertain(storage, tracker, inScope(), apply, signal);
  const blocked = new Set(resolved.unknown.map(({ change }) => change.entry));
  const open = (): TrackedEntity[] => inScope().filter((entry) => !blocked.has(entry));
  if (hooks.saving !== undefined) await runSavingHooks(source, open);
  const changeOptions = { update: options.update, isExplicit: tracker.isExplicit, writeId: newWriteId() };
  if (validate !== undefined)
    await runInside(context, () => checkConstraints(collectChanges(open(), changeOptions), validate));
  // Computed after hooks and validation, during which entities may have changed; from here on, what is sent is fixed.
  const changes = collectChanges(open(), changeOptions);
  const batches = changes.length === 0 ? [] : planFor(batch, changes);

  for (const change of changes) beginFlight(change);
  const outcomes = await sendBatches(storage, batches, { ...options, retry, onOutcomes: apply });
  return inOrder(outcomes, changes, resolved);
}

/** Runs the `saving` hook for every pending entity. @throws SaveError `save.invalid` when one throws */
async function runSavingHooks(
  { context, hooks, tracker }: SaveSource,
  entries: () => readonly TrackedEntity[],
): Promise<void> {
  const { saving } = hooks;
  if (saving === undefined) return;
  const seen = new Set<TrackedEntity>();
  // A hook may add or change further entities, which then have their turn too.
  for (let turn = entries(); turn.length > 0; turn = entries().filter((entry) => !seen.has(entry))) {
    for (const entry of turn) {
      seen.add(entry);
      try {
        await runInside(context, () => saving(entry.entity, tracker.stateOf(entry)));
      } catch (error) {
        throw invalidSave([refused(entry, asError(error))], []);
      }
    }
  }
}

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

/** @throws SaveError `save.invalid` listing every entity that cannot be stored; nothing is sent then */
function collectChanges(
  entries: readonly TrackedEntity[],
  options: Parameters<typeof changeSetOf>[1],
): ChangeSet[] {
  const changes: ChangeSet[] = [];
  const problems: SaveResult[] = [];
  for (const entry of entries) {
    try {
      const change = changeSetOf(entry, options);
      if (change !== undefined) changes.push(change);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      entry.lastError = error;
      problems.push(refused(entry, error));
    }
  }
  if (problems.length > 0) throw invalidSave(problems, changes);
  return changes;
}

/** @throws SaveError `save.invalid` listing every violation of every entity; nothing is sent then */
async function checkConstraints(changes: readonly ChangeSet[], validate: EntityValidator): Promise<void> {
  const problems: SaveResult[] = [];
  const valid: ChangeSet[] = [];
  for (const change of changes) {
    const error = change.after === undefined ? undefined : await validationErrorOf(change.entry, validate);
    if (error === undefined) valid.push(change);
    else {
      change.entry.lastError = error;
      problems.push(refused(change.entry, error));
    }
  }
  if (problems.length > 0) throw invalidSave(problems, valid);
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
      const results = changes.map((change): SaveResult => ({
        ...about(change),
        outcome: "rejected",
        attempts: 0,
      }));
      throw new SaveError(
        "save.not-atomic",
        `Nothing was sent: ${changes.length} changes need ${batches.length} transactions, and batch: "atomic" asks for one. A transaction takes at most 100 operations and 4 MiB of one table and partition.`,
        results,
      );
    }
    default:
      return mode satisfies never;
  }
}

function applyOutcomes(outcomes: readonly Outcome[], tracker: ChangeTracker): void {
  const savedAt = ++tracker.clock;
  for (const { change, result, row, uncertain, isReadBack } of outcomes) {
    if (result.outcome === "committed" && isReadBack !== true) disproveEarlier(change);
    if (result.outcome === "committed")
      acceptCommitted(change, { etag: result.etag, row, savedAt }, tracker.entities);
    else keepPending(change, result.error as Error, uncertain, tracker.entities);
  }
}

/** One result per entity, in the order of the changes; what earlier saves left open comes first. */
function inOrder(
  outcomes: readonly Outcome[],
  changes: readonly ChangeSet[],
  resolved: Awaited<ReturnType<typeof resolveUncertain>>,
): SaveResult[] {
  const byChange = new Map(outcomes.map(({ change, result }) => [change, result]));
  const sent = new Set(changes.map(({ entry }) => entry));
  const settled = [...resolved.committed, ...resolved.unknown].filter(
    ({ change }) => !sent.has(change.entry),
  );
  return [
    ...settled.map(({ result }) => result),
    ...changes.map((change) => byChange.get(change) as SaveResult),
  ];
}

function refused({ entity, model, key, intent }: TrackedEntity, error: Error): SaveResult {
  return {
    entity,
    subject: subjectOf(model, key),
    operation: operationOf(intent),
    outcome: "rejected",
    attempts: 0,
    error,
  };
}

function operationOf(intent: Intent): SaveResult["operation"] {
  switch (intent.type) {
    case "add":
      return "insert";
    case "upsert":
      return `upsert-${intent.mode}`;
    case "remove":
      return "delete";
    case "none":
      return "merge";
    default:
      return intent satisfies never;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
