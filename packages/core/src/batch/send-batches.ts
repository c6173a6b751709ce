import { ConflictError, type ConflictReason } from "../errors/conflict-error.ts";
import { StorageError } from "../errors/storage-error.ts";
import type { SaveResult } from "../errors/save-error.ts";
import { subjectOf } from "../materialize/encode-entity.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import type { WriteResult } from "../storage/write-operation.ts";
import type { ChangeSet } from "../unit-of-work/change-set.ts";
import type { Batch } from "./plan-batches.ts";

/** What became of one change. */
export interface Outcome {
  readonly change: ChangeSet;
  readonly result: SaveResult;
}

export interface SendOptions extends RequestOptions {
  /** Batches on the way at once. */
  readonly concurrency: number;
  /** Whether batches that were not begun are still sent after one failed. */
  readonly continueOnError: boolean;
  /** Told of each batch as its answer arrives. */
  readonly onOutcomes: (outcomes: readonly Outcome[]) => void;
}

/** Sends batches, several at once, and tells what became of every change. Never rejects. */
export async function sendBatches(
  storage: TableStorage,
  batches: readonly Batch[],
  options: SendOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  let mustStop = false;
  const work = async (): Promise<void> => {
    for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
      const answered = mustStop
        ? batch.changes.map((change) => notSent(change, "an earlier group of this save failed"))
        : await sendBatch(storage, batch, options);
      if (!options.continueOnError && answered.some(({ result }) => result.outcome !== "committed"))
        mustStop = true;
      options.onOutcomes(answered);
      outcomes.push(...answered);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, batches.length) }, work));
  return outcomes;
}

async function sendBatch(
  storage: TableStorage,
  { table, changes }: Batch,
  options: RequestOptions,
): Promise<Outcome[]> {
  if (options.signal?.aborted === true)
    return changes.map((change) => notSent(change, "the save was cancelled"));
  const request = options.signal === undefined ? {} : { signal: options.signal };
  try {
    const operations = changes.map((change) => change.operation);
    const [only] = operations;
    const results: readonly WriteResult[] =
      operations.length === 1 && only !== undefined
        ? [await storage.write(table, only, request)]
        : await storage.transact(table, operations, request);
    return changes.map((change, i) => committed(change, results[i] ?? {}));
  } catch (error) {
    return changes.map((change, i) => failed(change, error, i, changes.length));
  }
}

function committed(change: ChangeSet, { etag }: WriteResult): Outcome {
  return { change, result: new Committed(change, etag) };
}

/** The common result, of which a large save makes many: its subject is put into words only when somebody asks. */
class Committed implements SaveResult {
  readonly entity: object;
  readonly operation: SaveResult["operation"];
  readonly outcome = "committed" as const;
  readonly attempts = 1;
  declare readonly etag?: string;
  readonly #change: ChangeSet;

  constructor(change: ChangeSet, etag: string | undefined) {
    this.entity = change.entry.entity;
    this.operation = change.operation.type;
    this.#change = change;
    if (etag !== undefined) this.etag = etag;
  }

  get subject(): string {
    return subjectOf(this.#change.entry.model, this.#change.entry.key);
  }
}

/** A refused transaction changes nothing: the operation it names was refused, its siblings are aborted with it. */
function failed(change: ChangeSet, error: unknown, at: number, size: number): Outcome {
  const failure = error instanceof StorageError ? error : undefined;
  // A store that says nothing of what it did may have done it.
  const outcome = failure?.applied === "no" ? "rejected" : "unknown";
  const index = failure?.index !== undefined && failure.index < size ? failure.index : undefined;
  const isCulprit = size === 1 || index === undefined || index === at;
  // Where the service names no operation, nobody knows which of them was in conflict.
  const isKnown = size === 1 || index !== undefined;
  const told = isCulprit && isKnown ? asConflict(change, error) : error;
  return {
    change,
    result: {
      ...about(change),
      outcome,
      ...(outcome === "rejected" && !isCulprit && { aborted: true as const }),
      ...(failure?.status !== undefined && { status: failure.status }),
      ...(failure?.serviceCode !== undefined && { serviceCode: failure.serviceCode }),
      ...(failure?.requestId !== undefined && { requestId: failure.requestId }),
      attempts: 1,
      error: told instanceof Error ? told : new Error(String(told)),
    },
  };
}

function notSent(change: ChangeSet, why: string): Outcome {
  const error = new StorageError("storage.not-sent", `Not sent: ${why}.`, { applied: "no" });
  return { change, result: { ...about(change), outcome: "rejected", attempts: 0, error } };
}

/** The parts of a result that do not depend on the answer. */
export function about({ entry, operation }: ChangeSet): Pick<SaveResult, "entity" | "subject" | "operation"> {
  return { entity: entry.entity, subject: subjectOf(entry.model, entry.key), operation: operation.type };
}

const conflicts: Readonly<Record<string, ConflictReason>> = {
  EntityAlreadyExists: "exists",
  ResourceNotFound: "missing",
  EntityNotFound: "missing",
  UpdateConditionNotSatisfied: "etag",
  ConditionNotMet: "etag",
};

/** The service's refusal as what it means to the caller: somebody else was first. */
function asConflict({ entry }: ChangeSet, error: unknown): unknown {
  const code = error instanceof StorageError && error.applied === "no" ? error.serviceCode : undefined;
  const reason = code === undefined ? undefined : conflicts[code];
  return reason === undefined ? error : new ConflictError(reason, subjectOf(entry.model, entry.key), error);
}
