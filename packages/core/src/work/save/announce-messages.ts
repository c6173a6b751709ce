import { messageOf } from "../../values/errors/built-ins.ts";
import { outboxRow, outboxRowKey } from "../../model/codec/commit-rows.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { ulid } from "../../values/keys/ulid.ts";
import { applyOutcomes, notSent, type Outcome, rejected } from "../recovery/outcome.ts";
import { type Clock, monotonicTime } from "../../storage/clock.ts";
import { inParallel } from "../../storage/in-parallel.ts";
import { type Retries, withRetry } from "../../storage/with-retry.ts";
import type { AnnouncedMessage, OutboxMessage } from "../unit-of-work/outbox-message.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { endAll } from "./end-messages.ts";
import type { Write } from "../recovery/attempt.ts";
import type { CheckedOptions } from "./save-options.ts";
import type { Save } from "./save-state.ts";
import { retriesOf } from "./send-batches.ts";

// Loaded when a save first sends a message, since few programs do.

/** How messages are announced. */
type AnnounceOptions = CheckedOptions & { readonly retries: Retries };

/** A message to announce, or one that could not be announced. */
interface Announcing {
  readonly change: ChangeSet;
  readonly message: OutboxMessage;
  readonly announced?: AnnouncedMessage;
  readonly error?: unknown;
}

/** Announces the messages of a save to their queues, before anything is sent. If one fails, nothing is sent. */
export async function announceMessages(save: Save): Promise<void> {
  const { source, batches } = save;
  const options = { ...save.options, retries: retriesOf(source, save.options) };
  const wanted = batches.flatMap(({ changes }) => changes.flatMap(messagesOf));
  const done = await inParallel(wanted, options.concurrency, async (one): Promise<Announcing> => {
    try {
      return { ...one, announced: await announce(one, options) };
    } catch (error) {
      return { ...one, error };
    }
  });
  const announced = done.flatMap((one) => one.announced ?? []);
  if (announced.length < done.length) {
    await endAll(announced, "refused");
    save.outcomes = refusedBy(done, batches, options.signal);
    applyOutcomes(source, save.outcomes);
    return;
  }
  // Several messages of one change are announced in order.
  const next = announced.values();
  save.batches = batches.map((batch) => {
    const outbox = batch.changes.flatMap(messagesOf).flatMap(() => next.next().value ?? []);
    return outbox.length === 0 ? batch : { ...batch, outbox };
  });
}

const messagesOf = (change: ChangeSet): Announcing[] =>
  (change.messages ?? []).map((message) => ({ change, message }));

async function announce(
  { change, message }: Announcing,
  { retries, signal }: AnnounceOptions,
): Promise<AnnouncedMessage> {
  const { key, model } = change.entry;
  const place = { ...key, table: model.table, rowKey: outboxRowKey(ulid()) };
  const isOutdated = outdated(retries.clock);
  const announcement = await withRetry(
    retries,
    (attempt) => message.announce(place, attempt, signal === undefined ? {} : { signal }),
    { signal },
  );
  const row = outboxRow(place, { ...message.properties, ...announcement.properties });
  return { message, row, announcement, isOutdated };
}

/** Half of the time that a closed position stays closed. */
const maxAgeMs = 1_800_000;

/** Whether too much time has passed since now, by any clock: some stop while the machine sleeps. */
function outdated(clock: Clock): () => boolean {
  const [now, monotonic] = [clock.now(), monotonicTime(clock)];
  return () => Math.max(clock.now() - now, monotonicTime(clock) - monotonic) > maxAgeMs;
}

/** The outcomes of a save that sends nothing. */
function refusedBy(
  done: readonly Announcing[],
  batches: readonly Write[],
  signal: AbortSignal | undefined,
): Outcome[] {
  const errorOf = new Map<ChangeSet, unknown>();
  for (const { change, error } of done) if (error !== undefined) errorOf.set(change, error);
  return batches.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      if (signal?.aborted === true) return [notSent(change, "the save was cancelled")];
      const cause = errorOf.get(change);
      if (cause !== undefined) return rejected([change], unreachable(cause), 0, 0);
      return [notSent(change, "a message of this save could not be announced", true)];
    }),
  );
}

const unreachable = (cause: unknown): StorageError =>
  new StorageError(
    "outbox.queue-unreachable",
    `Nothing was sent: the queue of a message of this save could not be written, and without it the message would never be handled. ${messageOf(cause)}`,
    { applied: "no" },
    { cause },
  );
