// Saves and recovery build the outcome of each change here: committed, rejected or unknown, with its result for the
// caller. `applyOutcomes` then applies outcomes to the tracked entities (`unit-of-work/accept.ts`) and to the ledger.

import { asError } from "../../values/errors/built-ins.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { RemovedRows } from "../unit-of-work/removed-rows.ts";
import type { CommittedResult, Evidence, FailedResult, SaveResult } from "../unit-of-work/save-result.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { conflictReason } from "../../storage/conflict-reason.ts";
import { monotonicTime } from "../../storage/clock.ts";
import type { Retries } from "../../storage/with-retry.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import { acceptCommitted, acceptGone, keepPending, removesUnstoredRow } from "../unit-of-work/accept.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { askedFor, type ChangeSet } from "../unit-of-work/tracked-entity.ts";
import type { Attempt } from "./attempt.ts";
import type { Ledger, Lost } from "./ledger.ts";
import { conclude } from "./lost-response-rules.ts";

/** The outcome of one change. */
export interface Outcome {
  readonly change: ChangeSet;
  readonly result: SaveResult;
  /** Whether the stored rows proved it, since its response was lost. */
  readonly isReadBack?: true;
  /** The row of a change that was read back; undefined for a delete. */
  readonly row?: StoredEntity;
  /** For an unknown outcome: the attempt, and whether more can be found out about it. */
  readonly lost?: Pick<Lost, "attempt" | "state">;
  /** The attempt of a stored change, if another request of it may still arrive. */
  readonly late?: Attempt;
  /** Whether a delete's row no longer exists: nothing more can be found out, and the entity is detached. */
  readonly isGone?: true;
}

/** The context that the outcomes belong to. */
export interface RecoverySource {
  readonly storage: RowStorage;
  readonly tracker: ChangeTracker;
  /** The ledger of the same context. */
  readonly ledger: Ledger;
  readonly retries: Retries;
  /** Errors that occurred after a write, and are thrown at the end. */
  readonly lateErrors: unknown[];
}

/** Applies outcomes to their entities. If one entity cannot accept its outcome, the others still do. */
export function applyOutcomes(source: RecoverySource, outcomes: readonly Outcome[]): void {
  const savedAt = ++source.tracker.revision;
  for (const outcome of outcomes)
    try {
      applyOutcome(source, outcome, savedAt);
    } catch (error) {
      source.lateErrors.push(error);
    }
}

function applyOutcome({ tracker, ledger }: RecoverySource, outcome: Outcome, savedAt: number): void {
  const { entities } = tracker;
  const { change, result, row, lost, late, isReadBack = false, isGone = false } = outcome;
  const { entry } = change;
  if (!isGone && result.outcome !== "committed") {
    if (lost !== undefined) ledger.add(lost.attempt, change, lost.state);
    return keepPending(change, result.error as Error, entities);
  }
  if (late !== undefined) ledger.add(late, change, "open");
  if (!ledger.isEmpty) {
    if (!isReadBack && !isGone) disproveOthers(tracker, ledger, change);
    ledger.stored(entry);
  }
  if (isGone) acceptGone(entry, savedAt, entities);
  else acceptCommitted(change, { etag: result.etag, row, savedAt, isReadBack }, entities);
  if (change.after !== undefined) return;
  (tracker.removed ??= new RemovedRows()).add(entry, savedAt);
  ledger.deleted(entry);
}

/** A successful conditional write proves that other attempts under its ETag were not applied, and never will be. */
function disproveOthers({ entities }: ChangeTracker, ledger: Ledger, change: ChangeSet): void {
  for (const attempt of ledger.disprovedBy(change)) {
    ledger.remove(attempt);
    for (const { entry } of attempt.changes) if (removesUnstoredRow(entry)) entities.delete(entry);
  }
}

/** The parts of a result that do not depend on the response. */
function about(change: ChangeSet): Pick<SaveResult, "entity" | "subject" | "operation"> {
  const { entity, model, key } = change.entry;
  return { entity, subject: subjectOf(model, key), operation: askedFor(change).type };
}

export function committed(
  change: ChangeSet,
  etag: string | undefined,
  attempts: number,
  evidence: Evidence,
): Outcome {
  return { change, result: new Committed(change, etag, attempts, evidence) };
}

/** The common result. A large save creates many, so its subject is formatted only when it is read. */
class Committed implements CommittedResult {
  readonly entity: object;
  readonly operation: SaveResult["operation"];
  readonly outcome = "committed" as const;
  readonly attempts: number;
  readonly evidence: Evidence;
  declare readonly etag?: string;
  readonly #change: ChangeSet;

  constructor(change: ChangeSet, etag: string | undefined, attempts: number, evidence: Evidence) {
    this.entity = change.entry.entity;
    this.operation = askedFor(change).type;
    this.attempts = attempts;
    this.evidence = evidence;
    this.#change = change;
    if (etag !== undefined) this.etag = etag;
  }

  get subject(): string {
    return subjectOf(this.#change.entry.model, this.#change.entry.key);
  }
}

/** A refused transaction changes nothing: the operation that it names is rejected, and its siblings are aborted. */
export function rejected(
  changes: readonly ChangeSet[],
  error: unknown,
  index: number | undefined,
  attempts: number,
): Outcome[] {
  const isKnown = changes.length === 1 || index !== undefined;
  return changes.map((change, at) => {
    const isCulprit = changes.length === 1 || index === undefined || index === at;
    // If no operation is named, it is unknown which of them was in conflict.
    const reported = isCulprit && isKnown ? asConflict(change, error, false) : error;
    const aborted = isCulprit ? {} : { aborted: true as const };
    return { change, result: failed(change, "rejected", reported, attempts, aborted) };
  });
}

/** It is unknown whether these changes are stored; if their attempt is closed, it stays unknown. */
export function unknownOutcomes(
  attempt: Attempt,
  error: unknown,
  tries: number,
  state: "open" | "closed" = "open",
): Outcome[] {
  const { changes } = attempt;
  return changes.map((change, at) => {
    const index = StorageError.is(error) ? error.index : undefined;
    const isCulprit = changes.length === 1 || index === at;
    const reported = isCulprit ? asConflict(change, error, true) : error;
    const more = state === "open" ? { lateUntil: dateOf(attempt) } : {};
    return {
      change,
      result: failed(change, "unknown", reported, tries, more),
      lost: { attempt, state },
    };
  });
}

/** The end of an attempt as a date of its clock. */
const dateOf = ({ clock, lateUntil }: Attempt): Date =>
  new Date(clock.now() + lateUntil - monotonicTime(clock));

/**
 * The result of a change that one of these attempts, in order of age, may have stored.
 *
 * @param cause - why its last request was refused, if there was one
 */
export function stillUnknown(
  change: ChangeSet,
  attempts: readonly Lost[],
  { cause, tries = 0 }: { readonly cause?: unknown; readonly tries?: number } = {},
): SaveResult {
  const { attempt } = (attempts.findLast(({ state }) => state === "open") ?? attempts.at(-1)) as Lost;
  const error = cause ?? attempt.error;
  const more = conclude(attempts) === "open" ? { lateUntil: dateOf(attempt) } : {};
  return failed(change, "unknown", asConflict(change, error, true), tries, more);
}

/**
 * The results of a save. A change that an earlier attempt may have stored, or may still store, is not reported as
 * rejected.
 */
export const unlessSentBefore = (
  ledger: Ledger,
  changes: readonly ChangeSet[],
  results: readonly SaveResult[],
): readonly SaveResult[] => {
  if (ledger.isEmpty) return results;
  const changeOf = new Map(changes.map((change) => [change.entry.entity, change]));
  return results.map((result) => {
    const change = changeOf.get(result.entity);
    if (result.outcome !== "rejected" || change === undefined) return result;
    const attempts = ledger.attemptsOf(change);
    const { error, attempts: tries } = result;
    return conclude(attempts) === "clear"
      ? result
      : stillUnknown(change, attempts, { cause: error?.cause ?? error, tries });
  });
};

/** A delete's row no longer exists, and it stays unknown which delete was first. */
export function goneOutcome(change: ChangeSet, cause: unknown, attempts: number): Outcome {
  const error = new StorageError(
    "storage.gone",
    `The row no longer exists, and the response to its delete was lost: another writer may have deleted it. To know which delete was first, declare the table with proof: "marker". If you only need the row to be gone, leave out removeMissing: "error".`,
    { applied: "maybe" },
    { cause },
  );
  return { change, result: failed(change, "unknown", error, attempts), isGone: true };
}

/** A change with a lost response that was not applied and can no longer be. */
export const disproved = (change: ChangeSet, error: Error): Outcome => ({
  change,
  result: failed(change, "rejected", notStored(error), 0),
});

/** The error of a write with a lost response that can no longer be stored. */
export const notStored = (cause: unknown): StorageError =>
  new StorageError(
    "storage.not-stored",
    "Not stored: storage shows that the request was not applied and can no longer be applied.",
    { applied: "no" },
    { cause },
  );

/** The error of a save with a message that a worker or another program has closed. */
export const abandoned = (cause: unknown): StorageError =>
  new StorageError(
    "outbox.abandoned",
    "Nothing was stored: the save's message had expired, or another program was saving the same unique value. Save again.",
    { applied: "no" },
    { cause },
  );

/** Refused before anything was sent; `isAborted` if only another change of the save cannot be sent. */
export const notSent = (
  change: ChangeSet,
  why: string,
  isAborted = false,
): Outcome & { readonly result: FailedResult } => ({
  change,
  result: {
    ...about(change),
    outcome: "rejected",
    attempts: 0,
    error: notSentError(why),
    ...(isAborted && { aborted: true }),
  },
});

export const notSentError = (why: string): StorageError =>
  new StorageError("storage.not-sent", `Not sent: ${why}.`, { applied: "no" });

function failed(
  change: ChangeSet,
  outcome: "rejected" | "unknown",
  error: unknown,
  attempts: number,
  more: Pick<FailedResult, "aborted" | "lateUntil"> = {},
): FailedResult {
  const cause = ConflictError.is(error) ? error.cause : error;
  const failure = StorageError.is(cause) ? cause : undefined;
  return {
    ...about(change),
    outcome,
    ...more,
    ...(failure?.status !== undefined && { status: failure.status }),
    ...(failure?.serviceCode !== undefined && { serviceCode: failure.serviceCode }),
    ...(failure?.requestId !== undefined && { requestId: failure.requestId }),
    attempts,
    error: asError(error),
  };
}

/** The service's refusal as an error for the caller: another writer was first, or perhaps our own earlier attempt. */
function asConflict({ entry }: ChangeSet, error: unknown, maybeApplied: boolean): unknown {
  const reason = conflictReason(error);
  if (reason === undefined) return error;
  const list = entry.home?.listOf?.(entry.entity);
  const subject = subjectOf(entry.model, entry.key);
  const place = list && ` (in ${list.property} of ${subjectOf(list.parent.model, list.parent.key)})`;
  return new ConflictError(reason, subject + (place ?? ""), error, maybeApplied);
}
