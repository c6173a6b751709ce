import type { StoredEntity } from "../edm/stored-entity.ts";
import { ConflictError, type ConflictReason } from "../errors/conflict-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { StorageError } from "../errors/storage-error.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import type { ChangeSet, UncertainWrite } from "../unit-of-work/tracked-entity.ts";

/** What became of one change. */
export interface Outcome {
  readonly change: ChangeSet;
  readonly result: SaveResult;
  /** Whether rows proved the change stored, since its answer was lost. */
  readonly isReadBack?: true;
  /** The row of a change that was read back; undefined for a removal. */
  readonly row?: StoredEntity;
  /** What is left to find out, of an unknown outcome. */
  readonly uncertain?: UncertainWrite;
}

/** The parts of a result that do not depend on the answer. */
function about({ entry, operation }: ChangeSet): Pick<SaveResult, "entity" | "subject" | "operation"> {
  return { entity: entry.entity, subject: subjectOf(entry.model, entry.key), operation: operation.type };
}

export function committed(change: ChangeSet, etag: string | undefined, attempts: number): Outcome {
  return { change, result: new Committed(change, etag, attempts) };
}

/** The common result, of which a large save makes many: its subject is put into words only when somebody asks. */
class Committed implements SaveResult {
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
    const told = isCulprit && isKnown ? asConflict(change, error, false) : error;
    const aborted = isCulprit ? {} : { aborted: true as const };
    return { change, result: failed(change, "rejected", told, attempts, aborted) };
  });
}

/** Nobody can say whether these changes are stored. */
export function unknown(uncertain: UncertainWrite, error: unknown, attempts: number): Outcome[] {
  const { changes } = uncertain;
  return changes.map((change, at) => {
    const index = error instanceof StorageError ? error.index : undefined;
    const isCulprit = changes.length === 1 || index === at;
    const told = isCulprit ? asConflict(change, error, true) : error;
    const lateUntil = new Date(uncertain.lateUntil);
    return { change, result: failed(change, "unknown", told, attempts, { lateUntil }), uncertain };
  });
}

/** A single change whose answer was lost, and which was not stored in the time that it could have been. */
export function disprovedOutcome({ changes: [change], error }: UncertainWrite): Outcome {
  const told = new StorageError(
    "storage.not-stored",
    "It was not stored: the stored row shows that the request was not carried out, and its time is over.",
    { applied: "no" },
    { cause: error },
  );
  return { change: change as ChangeSet, result: failed(change as ChangeSet, "rejected", told, 0) };
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

const conflicts: Readonly<Record<string, ConflictReason>> = {
  EntityAlreadyExists: "exists",
  ResourceNotFound: "missing",
  EntityNotFound: "missing",
  UpdateConditionNotSatisfied: "etag",
  ConditionNotMet: "etag",
};

/** The conflict a refusal tells of: the key is taken, the entity gone, or its ETag another one. */
export function conflictReason(error: unknown): ConflictReason | undefined {
  const code = error instanceof StorageError && error.applied === "no" ? error.serviceCode : undefined;
  return code === undefined ? undefined : conflicts[code];
}

/** The service's refusal as what it means to the caller: somebody else was first, or perhaps we were. */
function asConflict({ entry }: ChangeSet, error: unknown, maybeApplied: boolean): unknown {
  const reason = conflictReason(error);
  if (reason === undefined) return error;
  return new ConflictError(reason, subjectOf(entry.model, entry.key), error, maybeApplied);
}
