// A stage of `save-changes.ts`. It sends the planned batches, several concurrently, and applies each response as it
// arrives. After a lost response, `recovery/after-lost-response.ts` finds out the outcome.

import { StorageError } from "../../values/errors/storage-error.ts";
import {
  applyOutcomes,
  committed,
  notSent,
  type Outcome,
  type RecoverySource,
  rejected,
} from "../recovery/outcome.ts";
import { culpritOf, goneAlready, proveWrite } from "../recovery/after-lost-response.ts";
import { inParallel } from "../../storage/in-parallel.ts";
import { conflictReason } from "../../storage/conflict-reason.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import { type Retries, withRetry } from "../../storage/with-retry.ts";
import { plainOf, type WriteOperation, type WriteResult } from "../../storage/write-operation.ts";
import { attemptOf, mayBeSwept, type Write } from "../recovery/attempt.ts";
import { maySendAgain } from "../recovery/may-send-again.ts";
import { identifyWrites } from "../recovery/marker.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { isTooOld, tooOld } from "../claims/claim.ts";
import type { ClaimSender } from "../claims/send-claimed.ts";
import { asStorageError } from "./as-storage-error.ts";
import { familyDependencies, inOrderOfNeed } from "./family-order.ts";
import { endMessages } from "./end-messages.ts";
import { type LiveBatch, transactIndexed } from "./indexed-transaction.ts";
import { transactMarked } from "./marked-transaction.ts";
import type { Save } from "./save-state.ts";
import type { CheckedOptions } from "./save-options.ts";

/** How the batches of a save are sent. */
type SendOptions = CheckedOptions & { readonly retries: Retries };

/** Sends the batches, several concurrently. Each response takes effect as it arrives. */
export async function sendBatches(save: Save): Promise<void> {
  const { source, batches, options } = save;
  const sendOptions = { ...options, retries: retriesOf(source, options) };
  const { entities } = source.tracker;
  let mustStop = false;
  const send: Send = async (batch, why) => {
    const reason = mustStop ? (why ?? "an earlier group of this save failed") : why;
    const outcomes =
      reason === undefined ? await sendAny(source.storage, batch, sendOptions) : await unsent(batch, reason);
    applyOutcomes(source, outcomes);
    if (!options.continueOnError && !outcomes.every(isCommitted)) mustStop = true;
    return outcomes;
  };
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) save.outcomes = await send(first);
  else
    save.outcomes = (
      await (entities.hasLists
        ? sendFamilies(batches, familyDependencies(batches, entities.lists), options.concurrency, send)
        : inParallel(batches, options.concurrency, (batch) => send(batch)))
    ).flat();
}

/** Sends a batch; if a reason is given, only reports it as not sent. */
type Send = (batch: Write, why?: string) => Promise<Outcome[]>;

/** Sends each batch after the batches that it depends on, for parents and children. */
function sendFamilies(
  batches: readonly Write[],
  earlier: ReadonlyMap<Write, readonly Write[]>,
  concurrency: number,
  send: Send,
): Promise<Outcome[][]> {
  const sent = new Map<Write, Promise<Outcome[]>>();
  const sendAfter = async (batch: Write): Promise<Outcome[]> => {
    const others = await Promise.all((earlier.get(batch) ?? []).flatMap((other) => sent.get(other) ?? []));
    const isHeld = !others.flat().every(isCommitted);
    return send(batch, isHeld ? "a group that it depends on failed" : undefined);
  };
  return inParallel(inOrderOfNeed(batches, earlier), concurrency, (batch) => {
    const sending = sendAfter(batch);
    sent.set(batch, sending);
    return sending;
  });
}

const isCommitted = ({ result }: Outcome): boolean => result.outcome === "committed";

export const retriesOf = ({ retries }: RecoverySource, { retry }: CheckedOptions): Retries =>
  retry === undefined ? retries : { ...retries, policy: retry };

/** A batch that is not sent at all. */
async function unsent(batch: Write, why: string): Promise<Outcome[]> {
  const outcomes = batch.changes.map((change) => notSent(change, why));
  await endMessages(batch, outcomes, false);
  return outcomes;
}

/** Sends a batch, in the way that its values need. Never rejects. */
async function sendAny(storage: RowStorage, batch: Write, options: SendOptions): Promise<Outcome[]> {
  if (!changesUniqueValues(batch.changes)) return sendBatch(storage, batch, options);
  if (options.signal?.aborted === true) return unsent(batch, "the save was cancelled");
  const { sendClaimed } = await import("../claims/send-claimed.ts");
  const send: ClaimSender["send"] = async (claimed) => {
    let wasInDoubt = false;
    const end: EndMessages = async (_batch, _outcomes, isInDoubt) => void (wasInDoubt = isInDoubt);
    return { outcomes: await sendBatch(storage, claimed, options, end), wasInDoubt };
  };
  return sendClaimed({ storage, options, send, isMissingDeletion }, batch);
}

/** Whether a batch stores or gives up values that are unique over the table, or may do so once it is retried. */
const changesUniqueValues = (changes: readonly ChangeSet[]): boolean =>
  changes.some(
    ({ entry: { model }, indexRows = [], unconditional }) =>
      model.options.proof === "marker" &&
      (indexRows.some(({ index }) => index.isOverTable) ||
        (unconditional !== undefined && model.indexes.some((index) => index.isOverTable))),
  );

/** Ends the messages of a batch once its outcomes are final. */
type EndMessages = typeof endMessages;

/**
 * Sends a batch until its outcome is known, or cannot be known. Never rejects.
 *
 * @param end - called with the outcomes
 */
async function sendBatch(
  storage: RowStorage,
  planned: Write,
  options: SendOptions,
  end: EndMessages = endMessages,
): Promise<Outcome[]> {
  const batch = { ...planned };
  const { retries, signal, removeMissing } = options;
  if (signal?.aborted === true) return unsent(batch, "the save was cancelled");
  /** The last failure after which the change may be stored. */
  let doubt: StorageError | undefined;
  let tries = 0;
  const { clock } = retries;
  const sending = {
    clock,
    sentOn: clock.now(),
    sentAt: 0,
    sentAfter: storage.reachedTime?.(),
    removeMissing,
  };
  const mayRepeat = (error: unknown): boolean => {
    const failure = error as StorageError;
    if (failure.applied === "maybe") doubt = failure;
    return maySendAgain(batch, sending, failure, doubt !== undefined);
  };
  try {
    const send = (attempt: number, firstSentAt: number): Promise<Outcome[]> => {
      [tries, sending.sentAt] = [attempt, firstSentAt];
      // The machine may have slept between two attempts; then the marker does not protect from late requests any more.
      if (doubt !== undefined && batch.marker !== undefined && mayBeSwept(sending))
        return Promise.reject(doubt);
      if (batch.claim !== undefined && isTooOld(batch.claim)) return Promise.reject(doubt ?? tooOld());
      return request(storage, batch, { ...(signal && { signal }), attempt }, retries, doubt !== undefined);
    };
    const outcomes = await withRetry(retries, send, { signal, mayRepeat });
    if (batch.outbox !== undefined || batch.claim !== undefined)
      await end(batch, outcomes, doubt !== undefined);
    if (doubt === undefined || batch.marker !== undefined) return outcomes;
    // Stored, while an earlier request may still arrive.
    const late = attemptOf(batch, sending, doubt);
    return outcomes.map((outcome) => ({ ...outcome, late }));
  } catch (error) {
    const failure = error as StorageError;
    const outcomes =
      doubt === undefined
        ? rejected(batch.changes, failure, await culpritOf(storage, batch, failure), tries)
        : await proveWrite(storage, batch, sending, { doubt, failure, tries, signal, retries });
    const gone = removeMissing === "ignore" ? outcomes.find(isMissingDeletion) : undefined;
    // If a write with messages has an unknown outcome, its first message is already closed.
    const isLast = batch.outbox === undefined || doubt === undefined;
    if (gone !== undefined && isLast && batch.claim === undefined)
      return withoutMissing(storage, batch, options, gone);
    await end(batch, outcomes, doubt !== undefined);
    return outcomes;
  }
}

/** Sends one request, and returns the outcomes of its changes. @throws StorageError */
async function request(
  storage: RowStorage,
  batch: LiveBatch & Pick<Write, "marker" | "outbox">,
  options: RequestOptions,
  retries: Retries,
  isInDoubt: boolean,
): Promise<Outcome[]> {
  const { table, changes, marker } = batch;
  const attempt = options.attempt as number;
  // With a marker or messages, a transaction has more rows than those of its entities.
  const send = (operations: readonly WriteOperation[]): Promise<readonly WriteResult[]> =>
    marker === undefined
      ? storage.commit(table, operations, options)
      : transactMarked(storage, batch, operations, retries, options);
  try {
    const [first] = changes;
    if (changes.length === 1 && first !== undefined && marker === undefined && !isIndexed(first)) {
      const { etag } = await storage.write(table, plainOf(first.operation), options);
      return [committed(first, etag, attempt, "response")];
    }
    const results = changes.some(isIndexed)
      ? await transactIndexed({ storage, batch, signal: options.signal, isInDoubt, send })
      : await send(changes.map(({ operation }) => operation));
    checkResponse(changes.length, results);
    return batch.changes.map((change, i) => committed(change, results[i]?.etag, attempt, "response"));
  } catch (error) {
    throw asStorageError(error, "maybe");
  }
}

/** Whether a change is more than its own operation, or is computed again after another writer was first. */
const isIndexed = ({ indexRows, unconditional }: ChangeSet): boolean =>
  indexRows !== undefined || unconditional !== undefined;

/** @throws StorageError `storage.malformed-response` */
function checkResponse(count: number, results: readonly WriteResult[]): void {
  if (results.length === count) return;
  throw new StorageError(
    "storage.malformed-response",
    `The response to a transaction of ${count} operations has ${results.length} results, so the outcome is unknown.`,
    { applied: "maybe" },
  );
}

/**
 * Counts the delete of an entity that no longer exists and sends no message as done, and sends the rest of its batch
 * without it.
 */
async function withoutMissing(
  storage: RowStorage,
  batch: Write,
  options: SendOptions,
  gone: Outcome,
): Promise<Outcome[]> {
  const { table, outbox, isAtomic } = batch;
  const rest = batch.changes.filter((change) => change !== gone.change);
  const [left] = identifyWrites(rest.length === 0 ? [] : [{ table, changes: rest, outbox, isAtomic }]);
  const others = left === undefined ? [] : await sendBatch(storage, left, options);
  return [goneAlready(gone.change, gone.result.attempts), ...others];
}

const isMissingDeletion = ({ result, change }: Outcome): boolean =>
  change.operation.type === "delete" &&
  change.messages === undefined &&
  result.outcome === "rejected" &&
  result.aborted !== true &&
  conflictReason(result.error?.cause) === "missing";
