import type { StoredEntity } from "../edm/stored-entity.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { StorageError } from "../errors/storage-error.ts";
import { conflictReason } from "../storage/conflict-reason.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { acceptCommitted, disproveEarlier, keepPending } from "../unit-of-work/accept.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import type { ChangeSet, InDoubtWrite } from "../unit-of-work/tracked-entity.ts";

/** What became of one change. */
export interface Outcome {
  readonly change: ChangeSet;
  readonly result: SaveResult;
  /** Whether rows proved the change stored, since its answer was lost. */
  readonly isReadBack?: true;
  /** The row of a change that was read back; undefined for a removal. */
  readonly row?: StoredEntity;
  /** What is left to find out, of an unknown outcome. */
  readonly inDoubt?: InDoubtWrite;
}

/** Whose changes outcomes are of. */
export interface RecoverySource {
  readonly storage: TableStorage;
  readonly tracker: ChangeTracker;
  /** Errors that came after a write, and are thrown at the end. */
  readonly lateErrors: unknown[];
}

/**
 * Lets outcomes take effect on the entities they are of; an entity that cannot take its own does not keep the others from
 * theirs.
 */
export function applyOutcomes({ tracker, lateErrors }: RecoverySource, outcomes: readonly Outcome[]): void {
  const { entities } = tracker;
  const savedAt = ++tracker.revision;
  for (const { change, result, row, inDoubt, isReadBack = false } of outcomes) {
    try {
      if (result.outcome !== "committed") {
        keepPending(change, result.error as Error, inDoubt, entities);
        continue;
      }
      if (!isReadBack && change.entry.inDoubt.length > 0) disproveEarlier(change, entities);
      acceptCommitted(change, { etag: result.etag, row, savedAt, isReadBack }, entities);
      if (change.after === undefined) tracker.noteRemoved(change.entry);
    } catch (error) {
      lateErrors.push(error);
    }
  }
}

/** The parts of a result that do not depend on the answer. */
function about({ entry, operation }: ChangeSet): Pick<SaveResult, "entity" | "subject" | "operation"> {
  return { entity: entry.entity, subject: subjectOf(entry.model, entry.key), operation: operation.type };
}

export function committed(change: ChangeSet, etag: string | undefined, attempts: number): Outcome {
  return { change, result: new Committed(change, etag, attempts) };
}

/** The common result, of which a large save makes many: its subject is put into words only when somebody asks. */
export class Committed implements SaveResult {
  readonly entity: object;
  readonly operation: SaveResult["operation"];
  readonly outcome = "committed" as const;
  readonly attempts: number;
  declare readonly etag?: string;
  readonly #change: ChangeSet;

  constructor(change: ChangeSet, etag: string | undefined, attempts: number) {
    this.entity = change.entry.entity;
    this.operation = change.operation.type;
    this.attempts = attempts;
    this.#change = change;
    if (etag !== undefined) this.etag = etag;
  }

  get subject(): string {
    return subjectOf(this.#change.entry.model, this.#change.entry.key);
  }
}

/** A refused transaction changes nothing: the operation it names was refused, its siblings are aborted with it. */
export function rejected(
  changes: readonly ChangeSet[],
  error: unknown,
  index: number | undefined,
  attempts: number,
): Outcome[] {
  const isKnown = changes.length === 1 || index !== undefined;
  return changes.map((change, at) => {
    const isCulprit = changes.length === 1 || index === undefined || index === at;
    // Where nobody names the operation, it is not known which of them was in conflict.
    const reported = isCulprit && isKnown ? asConflict(change, error, false) : error;
    const aborted = isCulprit ? {} : { aborted: true as const };
    return { change, result: failed(change, "rejected", reported, attempts, aborted) };
  });
}

/** Nobody can say whether these changes are stored. */
export function unknownOutcomes(inDoubt: InDoubtWrite, error: unknown, attempts: number): Outcome[] {
  const { changes } = inDoubt;
  return changes.map((change, at) => {
    const index = error instanceof StorageError ? error.index : undefined;
    const isCulprit = changes.length === 1 || index === at;
    const reported = isCulprit ? asConflict(change, error, true) : error;
    const lateUntil = new Date(inDoubt.lateUntil);
    return { change, result: failed(change, "unknown", reported, attempts, { lateUntil }), inDoubt };
  });
}

/** A single change whose answer was lost, and which was not stored in the time that it could have been. */
export function disprovedOutcome({ changes: [change], error }: InDoubtWrite): Outcome {
  const reported = new StorageError(
    "storage.not-stored",
    "It was not stored: the stored row shows that the request was not carried out, and its time is over.",
    { applied: "no" },
    { cause: error },
  );
  return { change: change as ChangeSet, result: failed(change as ChangeSet, "rejected", reported, 0) };
}

/** Refused before anything was sent. */
export function notSent(change: ChangeSet, why: string): Outcome {
  const error = new StorageError("storage.not-sent", `Not sent: ${why}.`, { applied: "no" });
  return { change, result: { ...about(change), outcome: "rejected", attempts: 0, error } };
}

function failed(
  change: ChangeSet,
  outcome: "rejected" | "unknown",
  error: unknown,
  attempts: number,
  more: Pick<SaveResult, "aborted" | "lateUntil"> = {},
): SaveResult {
  const cause = error instanceof ConflictError ? error.cause : error;
  const failure = cause instanceof StorageError ? cause : undefined;
  return {
    ...about(change),
    outcome,
    ...more,
    ...(failure?.status !== undefined && { status: failure.status }),
    ...(failure?.serviceCode !== undefined && { serviceCode: failure.serviceCode }),
    ...(failure?.requestId !== undefined && { requestId: failure.requestId }),
    attempts,
    error: error instanceof Error ? error : new Error(String(error)),
  };
}

/** The service's refusal as what it means to the caller: somebody else was first, or perhaps we were. */
function asConflict({ entry }: ChangeSet, error: unknown, maybeApplied: boolean): unknown {
  const reason = conflictReason(error);
  if (reason === undefined) return error;
  return new ConflictError(reason, subjectOf(entry.model, entry.key), error, maybeApplied);
}
