import { StorageError } from "../errors/storage-error.ts";
import { committed, conflictReason, notSent, type Outcome, rejected } from "../recovery/outcome.ts";
import { culpritOf, proveBatch } from "../recovery/prove-write.ts";
import { Attempts, type Retries } from "../storage/attempts.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import type { WriteResult } from "../storage/write-operation.ts";
import { isConditional } from "../unit-of-work/in-doubt-write.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import type { Batch } from "./plan-batches.ts";

/** How one batch is sent. */
export interface SendBatchOptions {
  readonly retries: Retries;
  /** Whether the removal of what is gone already counts as done. */
  readonly removeMissing: "conflict" | "ignore";
  readonly signal?: AbortSignal;
}

/** Sends a batch until its outcome is known, or cannot be known. Never rejects. */
export async function sendBatch(
  storage: TableStorage,
  batch: Batch,
  options: SendBatchOptions,
): Promise<Outcome[]> {
  const outcomes = await attemptBatch(storage, batch, options);
  const gone = options.removeMissing === "ignore" ? outcomes.find(isMissingDeletion) : undefined;
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
        : proveBatch(storage, batch, { doubt, failure, attempt, signal, clock: retries.clock, sentAfter });
    }
  }
}

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
