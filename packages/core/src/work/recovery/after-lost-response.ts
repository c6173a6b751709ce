/*
 * Called by `save/send-batches.ts` right after the response to a write was lost. `proveWrite` reads the marker or the
 * rows of the write to see whether it was applied; `lost-response-rules.ts` has the rules. `applyOutcomes` in
 * `outcome.ts` applies the outcome: a committed entity is unchanged, and one with an unknown outcome stays pending.
 * `ledger.ts` remembers unknown outcomes by row, and `resolve-attempts.ts` decides how the next save handles them.
 */

import { etagOf } from "../../model/codec/row-layout.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { StorageError } from "../../values/errors/storage-error.ts";
import { conflictReason } from "../../storage/conflict-reason.ts";
import type { Retries } from "../../storage/with-retry.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { conditionOf } from "../../storage/write-operation.ts";
import type { RemoveMissing } from "../unit-of-work/save-result.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { type Attempt, attemptOf, type Sending, type Write } from "./attempt.ts";
import { findOut, type Found } from "./find-out.ts";
import { isMarkerThere } from "./marker.ts";
import { readRows } from "./read-back.ts";
import {
  abandoned,
  committed,
  goneOutcome,
  notStored,
  type Outcome,
  rejected,
  unknownOutcomes,
} from "./outcome.ts";

/** A write with a lost response, before anything is read. */
export interface LostResponse {
  /** The last failure after which the write may have been applied. */
  readonly doubt: StorageError;
  /** The last failure: `doubt` itself, or a later refusal, which proves nothing about the earlier request. */
  readonly failure: StorageError;
  /** Requests that were sent. */
  readonly tries: number;
  readonly signal: AbortSignal | undefined;
  readonly retries: Retries;
}

/** Finds out the outcome of a write right after its response was lost. */
export async function proveWrite(
  storage: TableStorage,
  write: Write,
  sending: Sending,
  lost: LostResponse,
): Promise<Outcome[]> {
  const { doubt, tries, signal, retries } = lost;
  const attempt = attemptOf(write, sending, doubt);
  const found =
    signal?.aborted === true ? undefined : await findOut(storage, attempt, retries, signal, false);
  return found === undefined ? unknownOutcomes(attempt, doubt, tries) : outcomesOf(attempt, found, lost);
}

function outcomesOf(attempt: Attempt, found: Found, { doubt, failure, tries }: LostResponse): Outcome[] {
  const { changes, outbox } = attempt;
  switch (found.finding) {
    case "marker":
    case "content":
      return storedOutcomes(attempt, found, attempt.removeMissing, tries);
    case "never": {
      // The worker has closed the message's position.
      if (outbox !== undefined && isMarkerThere(failure))
        return rejected(changes, abandoned(failure), undefined, tries);
      const refusal = failure === doubt ? notStored(doubt) : failure;
      return rejected(changes, refusal, indexIn(refusal, changes), tries);
    }
    case "not yet":
      // The condition can never hold again: one row shows that nothing was stored, and the lost version prevents a
      // delayed request from being applied.
      if (changes.length > 1 && isForGood(failure, changes))
        return rejected(changes, failure, indexIn(failure, changes), tries);
      return unknownOutcomes(attempt, conflictReason(failure) === undefined ? doubt : failure, tries);
    case "open":
    case "closed": {
      const error = conflictReason(failure) === undefined ? doubt : failure;
      return unknownOutcomes(attempt, error, tries, found.finding).map((outcome, i) =>
        found.members[i] === "gone" && !staysWithGroup(attempt)
          ? goneOrDone(outcome.change, attempt, attempt.removeMissing, tries)
          : outcome,
      );
    }
    default:
      return found.finding satisfies never;
  }
}

/** Whether a deleted row decides nothing by itself, since an atomic group has one outcome for all its changes. */
export const staysWithGroup = ({ isAtomic, changes, removeMissing }: Attempt): boolean =>
  isAtomic === true && changes.length > 1 && removeMissing === "error";

/** The outcomes of an attempt that is stored, according to its marker or its rows. */
export function storedOutcomes(
  attempt: Attempt,
  { finding, rows }: Found,
  removeMissing: RemoveMissing | undefined,
  tries: number,
): Outcome[] {
  const evidence = finding === "marker" ? "marker" : "content";
  return attempt.changes.map((change, i) => {
    if (change.after === undefined && evidence === "content")
      return goneOrDone(change, attempt, removeMissing, tries);
    const row = change.after === undefined ? undefined : rows[i];
    return {
      ...committed(change, row && etagOf(row), tries, evidence),
      isReadBack: true,
      ...(row !== undefined && { row }),
      ...(evidence === "content" && { late: attempt }),
    };
  });
}

/** The outcome of a delete with a lost response, if the row no longer exists; its attempt may still arrive. */
export const goneOrDone = (
  change: ChangeSet,
  late: Attempt,
  removeMissing: RemoveMissing | undefined,
  tries: number,
): Outcome => ({
  ...(removeMissing === "error" ? goneOutcome(change, late.error, tries) : goneAlready(change, tries)),
  late,
});

/** The outcome of a delete if it does not matter which writer deleted the row. */
export const goneAlready = (change: ChangeSet, tries: number): Outcome => ({
  ...committed(change, undefined, tries, "gone"),
  isReadBack: true,
});

/** Whether a refused condition can never hold again: a version does not come back, but a key may become free. */
function isForGood(failure: StorageError, changes: readonly ChangeSet[]): boolean {
  const reason = conflictReason(failure);
  if (reason !== "missing") return reason === "etag";
  const index = indexIn(failure, changes);
  const operation = index === undefined ? undefined : changes[index]?.operation;
  return operation !== undefined && conditionOf(operation) !== undefined;
}

const indexIn = ({ index }: StorageError, changes: readonly ChangeSet[]): number | undefined =>
  index !== undefined && index < changes.length ? index : undefined;

/**
 * The operation that made a transaction fail: the one named by the service, otherwise the first with a row in conflict.
 */
export async function culpritOf(
  storage: TableStorage,
  write: Write,
  failure: StorageError,
): Promise<number | undefined> {
  const { changes } = write;
  const named = indexIn(failure, changes);
  const reason = conflictReason(failure);
  if (named !== undefined || reason === undefined || changes.length === 1) return named;
  const rows = await readRows(storage, write);
  if (rows === undefined) return undefined;
  const isCulprit = ({ operation }: ChangeSet, row: StoredEntity | undefined): boolean => {
    if (operation.type === "insert") return reason === "exists" && row !== undefined;
    if (!("etag" in operation)) return false;
    if (row === undefined) return reason === "missing";
    return reason === "etag" && operation.etag !== "*" && etagOf(row) !== operation.etag;
  };
  const index = changes.findIndex((change, i) => isCulprit(change, rows[i]));
  return index < 0 ? undefined : index;
}
