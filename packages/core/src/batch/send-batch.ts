import type { StoredEntity } from "../edm/stored-entity.ts";
import { StorageError } from "../errors/storage-error.ts";
import { Attempts, type Retries } from "../storage/attempts.ts";
import type { Clock } from "../storage/clock.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { keyOfOperation, type WriteResult } from "../storage/write-operation.ts";
import type { ChangeSet, UncertainWrite } from "../unit-of-work/tracked-entity.ts";
import { isConditional, lateAfter } from "../unit-of-work/uncertain-write.ts";
import { judgeWrite, type Verdict } from "./judge-write.ts";
import { committed, conflictReason, notSent, type Outcome, rejected, unknown } from "./outcome.ts";
import type { Batch } from "./plan-batches.ts";
import { readBack } from "./read-back.ts";

/** How one batch is sent. */
export interface SendBatchOptions {
  readonly retries: Retries;
  /** Whether the removal of what is gone already counts as done. */
  readonly deleteMissing: "conflict" | "ignore";
  readonly signal?: AbortSignal;
}

/** Sends a batch until its outcome is known, or cannot be known. Never rejects. */
export async function sendBatch(
  storage: TableStorage,
  batch: Batch,
  options: SendBatchOptions,
): Promise<Outcome[]> {
  const outcomes = await attemptBatch(storage, batch, options);
  const gone = options.deleteMissing === "ignore" ? outcomes.find(isMissingDeletion) : undefined;
  if (gone === undefined) return outcomes;
  const rest = batch.changes.filter((change) => change !== gone.change);
  const others = rest.length === 0 ? [] : await sendBatch(storage, { ...batch, changes: rest }, options);
  return [committed(gone.change, undefined, gone.result.attempts), ...others];
}

const isMissingDeletion = ({ result, change }: Outcome): boolean =>
  change.operation.type === "delete" &&
  result.outcome === "rejected" &&
  result.aborted !== true &&
  conflictReason(result.error?.cause) === "missing";

async function attemptBatch(
  storage: TableStorage,
  batch: Batch,
  options: SendBatchOptions,
): Promise<Outcome[]> {
  const { changes } = batch;
  const { retries, signal } = options;
  if (signal?.aborted === true) return changes.map((change) => notSent(change, "the save was cancelled"));
  /** The last failure after which the change may be stored. */
  let doubt: StorageError | undefined;
  const attempts = new Attempts(retries, signal);
  const sentAfter = storage.reachedTime?.();
  for (;;) {
    const attempt = attempts.number;
    try {
      const results = await request(storage, batch, { ...(signal && { signal }), attempt });
      attempts.succeeded();
      return changes.map((change, i) => committed(change, results[i]?.etag, attempt));
    } catch (error) {
      const failure = asStorageError(error);
      if (failure.applied === "maybe") doubt = failure;
      const isRepeatable = doubt === undefined || isFenced(changes);
      if (isRepeatable && (await attempts.next(failure))) continue;
      return doubt === undefined
        ? rejected(changes, failure, await culpritOf(storage, batch, failure), attempt)
        : settle(storage, batch, { doubt, failure, attempt, signal, clock: retries.clock, sentAfter });
    }
  }
}

const hasEnded = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

async function request(
  storage: TableStorage,
  { table, changes }: Batch,
  options: RequestOptions,
): Promise<readonly WriteResult[]> {
  const operations = changes.map((change) => change.operation);
  const [only] = operations;
  if (operations.length === 1 && only !== undefined) return [await storage.write(table, only, options)];
  const results = await storage.transact(table, operations, options);
  if (results.length === operations.length) return results;
  throw new StorageError(
    "storage.malformed-answer",
    `A transaction of ${operations.length} operations was answered with ${results.length} results, which does not say what was stored.`,
    { applied: "maybe" },
  );
}

/** A store that says nothing of what it did may have done it. */
function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const told = error instanceof Error ? error.message : String(error);
  return new StorageError("storage.failed", told, { applied: "maybe" }, { cause: error });
}

/**
 * Whether a batch may be sent again after it may have been stored. An insert or an ETag lets it be stored once only;
 * unconditional writes would overwrite what somebody stored in between, unless their owner says that this is fine.
 */
function isFenced(changes: readonly ChangeSet[]): boolean {
  return changes.some(isConditional) || changes.every(({ entry }) => entry.isIdempotent);
}

interface Doubt {
  readonly doubt: StorageError;
  /** The last failure: `doubt` itself, or a refusal that came after it and so is no answer. */
  readonly failure: StorageError;
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  readonly sentAfter: number | undefined;
}

/** Reads back what a doubtful batch wrote, and says what that proves. */
async function settle(
  storage: TableStorage,
  batch: Batch,
  { doubt, failure, attempt, signal, clock, sentAfter }: Doubt,
): Promise<Outcome[]> {
  const { table, changes } = batch;
  const lateUntil = lateAfter(clock.now());
  const uncertain: UncertainWrite = { table, changes, lateUntil, clock, sentAfter, error: doubt };
  if (hasEnded(signal)) return unknown(uncertain, doubt, attempt);
  const found = await findRows(storage, uncertain, signal);
  if (found === undefined) return unknown(uncertain, doubt, attempt);
  if (found.verdict === "applied") return acceptRows(changes, found.rows, attempt);
  const isConflict = conflictReason(failure) !== undefined;
  if (found.verdict === "disproved") {
    const told = isConflict ? failure : StorageError.ofService("UpdateConditionNotSatisfied");
    return rejected(changes, told, indexIn(told, changes), attempt);
  }
  // Refused for good: one row shows that nothing was stored, and a version that is gone keeps a late request from it.
  if (found.verdict === "unchanged" && changes.length > 1 && isForGood(failure, changes))
    return rejected(changes, failure, indexIn(failure, changes), attempt);
  return unknown(uncertain, isConflict ? failure : doubt, attempt);
}

interface FoundRows {
  readonly verdict: Verdict;
  readonly isByContent: boolean;
  readonly rows: readonly (StoredEntity | undefined)[];
}

/** What the rows say of a doubtful write; undefined when they cannot be read. */
export async function findRows(
  storage: TableStorage,
  { table, changes, sentAfter }: Pick<UncertainWrite, "table" | "changes" | "sentAfter">,
  signal?: AbortSignal,
): Promise<FoundRows | undefined> {
  const keys = changes.map(({ operation }) => keyOfOperation(operation));
  try {
    const read = (): ReturnType<typeof readBack> =>
      readBack(storage, table, keys, signal === undefined ? {} : { signal });
    const rows = await read();
    const { verdict, isTorn, isByContent } = judgeWrite(changes, rows, sentAfter);
    // Proved by one row, while another was read before it was stored: now all of them tell what is after it.
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
    const outcome = committed(change, row?.["odata.etag"], attempts);
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
async function culpritOf(
  storage: TableStorage,
  { table, changes }: Batch,
  failure: StorageError,
): Promise<number | undefined> {
  const told = indexIn(failure, changes);
  const reason = conflictReason(failure);
  if (told !== undefined || reason === undefined || changes.length === 1) return told;
  const found = await findRows(storage, { table, changes, sentAfter: undefined });
  if (found === undefined) return undefined;
  const isCulprit = ({ operation }: ChangeSet, row: StoredEntity | undefined): boolean => {
    if (operation.type === "insert") return reason === "exists" && row !== undefined;
    if (!("etag" in operation)) return false;
    if (row === undefined) return reason === "missing";
    return reason === "etag" && operation.etag !== "*" && row["odata.etag"] !== operation.etag;
  };
  const index = changes.findIndex((change, i) => isCulprit(change, found.rows[i]));
  return index < 0 ? undefined : index;
}
