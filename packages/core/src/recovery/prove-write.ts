import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { StorageError } from "../errors/storage-error.ts";
import type { Clock } from "../storage/clock.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { keyOfOperation } from "../storage/write-operation.ts";
import { lateAfter } from "../unit-of-work/in-doubt-write.ts";
import type { ChangeSet, InDoubtWrite } from "../unit-of-work/tracked-entity.ts";
import { judgeWrite, type Verdict } from "./judge-write.ts";
import { conflictReason } from "../storage/conflict-reason.ts";
import { committed, type Outcome, rejected, unknownOutcomes } from "./outcome.ts";
import { readBack } from "./read-back.ts";

/** Changes that were sent in one request. */
type Batch = Pick<InDoubtWrite, "table" | "changes">;

/** How a batch ended whose answer was lost. */
export interface LostAnswer {
  /** The last failure after which the batch may be stored. */
  readonly doubt: StorageError;
  /** The last failure: `doubt` itself, or a refusal that came after it and so is no answer. */
  readonly failure: StorageError;
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  readonly sentAfter: number | undefined;
}

/** Reads back what a batch in doubt wrote, and returns what that proves. */
export async function proveBatch(
  storage: TableStorage,
  { table, changes }: Batch,
  { doubt, failure, attempt, signal, clock, sentAfter }: LostAnswer,
): Promise<Outcome[]> {
  const lateUntil = lateAfter(clock.now());
  const inDoubt: InDoubtWrite = { table, changes, lateUntil, clock, sentAfter, error: doubt };
  if (hasEnded(signal)) return unknownOutcomes(inDoubt, doubt, attempt);
  const found = await findRows(storage, inDoubt, signal);
  if (found === undefined) return unknownOutcomes(inDoubt, doubt, attempt);
  if (found.verdict === "applied") return acceptRows(changes, found.rows, attempt);
  const isConflict = conflictReason(failure) !== undefined;
  if (found.verdict === "disproved") {
    const refusal = isConflict ? failure : StorageError.ofService("UpdateConditionNotSatisfied");
    return rejected(changes, refusal, indexIn(refusal, changes), attempt);
  }
  // Refused for good: one row shows that nothing was stored, and a version that is gone keeps a late request from it.
  if (found.verdict === "unchanged" && changes.length > 1 && isForGood(failure, changes))
    return rejected(changes, failure, indexIn(failure, changes), attempt);
  return unknownOutcomes(inDoubt, isConflict ? failure : doubt, attempt);
}

const hasEnded = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

interface FoundRows {
  readonly verdict: Verdict;
  readonly isByContent: boolean;
  readonly rows: readonly (StoredEntity | undefined)[];
}

/** What the rows prove about a write in doubt; undefined when they cannot be read. */
export async function findRows(
  storage: TableStorage,
  { table, changes, sentAfter }: Pick<InDoubtWrite, "table" | "changes" | "sentAfter">,
  signal?: AbortSignal,
): Promise<FoundRows | undefined> {
  const keys = changes.map(({ operation }) => keyOfOperation(operation));
  try {
    const read = (): ReturnType<typeof readBack> =>
      readBack(storage, table, keys, signal === undefined ? {} : { signal });
    const rows = await read();
    const { verdict, isTorn, isByContent } = judgeWrite(changes, rows, sentAfter);
    // Proved by one row, while another was read before it was stored: now all of them show what is after it.
    return { verdict, isByContent, rows: verdict === "applied" && isTorn ? await read() : rows };
  } catch {
    return undefined;
  }
}

/** The changes are stored, as their rows prove. */
export function acceptRows(
  changes: readonly ChangeSet[],
  rows: readonly (StoredEntity | undefined)[],
  attempts: number,
): Outcome[] {
  return changes.map((change, i) => {
    const row = change.after === undefined ? undefined : rows[i];
    const outcome = committed(change, row && etagOf(row), attempts);
    return { ...outcome, isReadBack: true, ...(row !== undefined && { row }) };
  });
}

/** Whether a refused condition can never hold again: a version does not come back, while a key may become free. */
function isForGood(failure: StorageError, changes: readonly ChangeSet[]): boolean {
  const reason = conflictReason(failure);
  if (reason !== "missing") return reason === "etag";
  const index = indexIn(failure, changes);
  const operation = index === undefined ? undefined : changes[index]?.operation;
  return operation !== undefined && "etag" in operation && operation.etag !== "*";
}

const indexIn = ({ index }: StorageError, changes: readonly ChangeSet[]): number | undefined =>
  index !== undefined && index < changes.length ? index : undefined;

/** Which operation made a transaction fail: as the service says, else the one whose row is in conflict. */
export async function culpritOf(
  storage: TableStorage,
  { table, changes }: Batch,
  failure: StorageError,
): Promise<number | undefined> {
  const named = indexIn(failure, changes);
  const reason = conflictReason(failure);
  if (named !== undefined || reason === undefined || changes.length === 1) return named;
  const found = await findRows(storage, { table, changes, sentAfter: undefined });
  if (found === undefined) return undefined;
  const isCulprit = ({ operation }: ChangeSet, row: StoredEntity | undefined): boolean => {
    if (operation.type === "insert") return reason === "exists" && row !== undefined;
    if (!("etag" in operation)) return false;
    if (row === undefined) return reason === "missing";
    return reason === "etag" && operation.etag !== "*" && etagOf(row) !== operation.etag;
  };
  const index = changes.findIndex((change, i) => isCulprit(change, found.rows[i]));
  return index < 0 ? undefined : index;
}
