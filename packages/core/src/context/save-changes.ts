import { planBatches, type Batch } from "../batch/plan-batches.ts";
import { about, type Outcome, sendBatches } from "../batch/send-batches.ts";
import { SaveError, type SaveResult } from "../errors/save-error.ts";
import { StateError } from "../errors/state-error.ts";
import { checkOptions } from "../errors/unknown-option.ts";
import { subjectOf } from "../materialize/encode-entity.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { acceptCommitted, keepPending } from "../unit-of-work/accept.ts";
import { type ChangeSet, changeSetOf } from "../unit-of-work/change-set.ts";
import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { Intent, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { type EntityValidator, validationErrorOf } from "./validate-entities.ts";

/** How a save groups and sends. */
export interface SaveOptions {
  /**
   * `auto` (default): one transaction per table and partition, split where it passes the service's limits. `atomic`:
   * refused before sending unless everything fits one transaction. `none`: one request per entity.
   */
  readonly batch?: "auto" | "atomic" | "none";
  /** Whether the other groups are still sent after one failed; default true. */
  readonly continueOnError?: boolean;
  /** Groups on the way at once; default 8. */
  readonly concurrency?: number;
  /** Cancels the save: what was not sent stays pending, what was sent may have been stored. */
  readonly signal?: AbortSignal;
}

/** Computes changes, validates all of them, then sends; every answer takes effect as it arrives. */
export async function saveTracked(
  storage: TableStorage,
  entities: IdentityMap,
  options: SaveOptions,
  validate?: EntityValidator,
): Promise<readonly SaveResult[]> {
  checkOptions("saveChanges(options)", options, ["batch", "continueOnError", "concurrency", "signal"]);
  const { batch = "auto", continueOnError = true, concurrency = 8, signal } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new StateError(
      "context.concurrency",
      "saveChanges({ concurrency }) takes a whole number, 1 or more.",
    );
  if (validate !== undefined) await checkConstraints(collectChanges(entities), validate);
  // Computed after validation, during which entities may have changed; from here on, what is sent is fixed.
  const changes = collectChanges(entities);
  if (changes.length === 0) return [];
  const batches = planFor(batch, changes);

  for (const { entry } of changes) entry.isInFlight = true;
  const outcomes = await sendBatches(storage, batches, {
    concurrency,
    continueOnError,
    onOutcomes: (answered) => applyOutcomes(answered, entities),
    ...(signal !== undefined && { signal }),
  });
  const results = inOrder(outcomes, changes);
  if (results.some((result) => result.outcome !== "committed")) throw failedSave(results);
  return results;
}

/** @throws SaveError `save.invalid` listing every entity that cannot be stored; nothing is sent then */
function collectChanges(entities: IdentityMap): ChangeSet[] {
  const changes: ChangeSet[] = [];
  const problems: SaveResult[] = [];
  for (const entry of entities.values()) {
    try {
      const change = changeSetOf(entry);
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
    const error = change.image === undefined ? undefined : await validationErrorOf(change.entry, validate);
    if (error === undefined) valid.push(change);
    else {
      change.entry.lastError = error;
      problems.push(refused(change.entry, error));
    }
  }
  if (problems.length > 0) throw invalidSave(problems, valid);
}

function invalidSave(problems: readonly SaveResult[], valid: readonly ChangeSet[]): SaveError {
  const others = valid.map((change): SaveResult => ({
    ...about(change),
    outcome: "rejected",
    aborted: true,
    attempts: 0,
  }));
  const lines = problems.map((problem) => `- ${describeFailure(problem)}`);
  const headline = `Nothing was sent: ${count(problems.length, "entity", "entities")} cannot be stored.`;
  return new SaveError("save.invalid", `${headline}\n${listed(lines)}`, [...problems, ...others]);
}

function planFor(mode: NonNullable<SaveOptions["batch"]>, changes: readonly ChangeSet[]): Batch[] {
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
      mode satisfies never;
      throw new StateError("context.batch", 'saveChanges({ batch }) takes "auto", "atomic" or "none".');
  }
}

function applyOutcomes(outcomes: readonly Outcome[], entities: IdentityMap): void {
  for (const { change, result } of outcomes) {
    if (result.outcome === "committed") acceptCommitted(change, result.etag, entities);
    else keepPending(change, result.error as Error, result.outcome === "rejected", entities);
  }
}

function inOrder(outcomes: readonly Outcome[], changes: readonly ChangeSet[]): SaveResult[] {
  const byChange = new Map(outcomes.map(({ change, result }) => [change, result]));
  return changes.map((change) => byChange.get(change) as SaveResult);
}

function failedSave(results: readonly SaveResult[]): SaveError {
  const failures = results.filter((result) => result.outcome !== "committed" && result.aborted !== true);
  const aborted = results.filter((result) => result.aborted === true).length;
  const lines = failures.map((result) => `- ${describeFailure(result)}`);
  const siblings =
    aborted === 1 ? "change of the same transactions was" : "changes of the same transactions were";
  const others =
    aborted === 0
      ? ""
      : `
${aborted} other ${siblings} not stored either.`;
  const stored = results.filter((result) => result.outcome === "committed").length;
  const headline = `${stored} of ${count(results.length, "change was", "changes were")} stored.`;
  return new SaveError("save.failed", `${headline}\n${listed(lines)}${others}`, results);
}

function describeFailure({ outcome, operation, subject, error }: SaveResult): string {
  if (outcome === "unknown")
    return `It is not known whether the ${operation} of ${subject} was stored: ${error?.message}`;
  return error?.message.startsWith(subject) === true
    ? error.message
    : `${subject} was not saved: ${error?.message}`;
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
  if (intent.type === "add") return "insert";
  return intent.type === "upsert" ? `upsert-${intent.mode}` : "merge";
}

/** A message of a large save names the first few. */
const listed = (lines: readonly string[]): string =>
  lines.length <= 5
    ? lines.join("\n")
    : `${lines.slice(0, 5).join("\n")}\n- and ${lines.length - 5} more (see results)`;

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
