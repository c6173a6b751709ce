import { acceptRows, findRows, isFenced } from "../batch/send-batch.ts";
import { unknown, type Outcome } from "../batch/outcome.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { UncertainWrite } from "../unit-of-work/uncertain-write.ts";

/** What reading back told of writes whose outcome an earlier save could not learn. */
export interface Resolved {
  /** Proved stored. */
  readonly committed: readonly Outcome[];
  /** Still open, and not to be sent again until their owner decides. */
  readonly unknown: readonly Outcome[];
}

/**
 * Reads back what earlier saves left unknown, before anything else is sent for the same entities. What turns out to be
 * stored is accepted; what is certainly not there yet may be sent again, where its condition keeps it from being
 * stored twice.
 */
export async function resolveUncertain(
  storage: TableStorage,
  tracker: ChangeTracker,
  entries: readonly TrackedEntity[],
  accept: (outcomes: readonly Outcome[]) => void,
  signal: AbortSignal | undefined,
): Promise<Resolved> {
  const writes = new Set(entries.flatMap((entry) => entry.uncertain));
  const committed: Outcome[] = [];
  const open: Outcome[] = [];
  for (const write of writes) {
    const found = await findRows(storage, write.table, write.changes, signal);
    if (found?.verdict === "applied") {
      const outcomes = acceptRows(write.changes, found.rows, 0);
      const current = outcomes.filter(concerns(tracker, write));
      releaseReplacements(tracker, write);
      accept(current);
      committed.push(...current);
    } else if (found !== undefined && mayBeSentAgain(write, found.verdict)) {
      if (Date.now() > write.lateUntil) forget(write, entries);
      dropVainRemovals(tracker, write);
    } else open.push(...unknown(write, write.error, 0).filter(concerns(tracker, write)));
  }
  return { committed, unknown: open };
}

/** Whether an outcome is of an entity that is still tracked and still waits for it. */
const concerns =
  ({ entities }: ChangeTracker, write: UncertainWrite) =>
  ({ change: { entry } }: Outcome): boolean =>
    entities.ofEntity(entry.entity) === entry && entry.uncertain.includes(write);

/** Nothing of it is stored yet, and its own condition or its owner's word makes another try safe. */
function mayBeSentAgain(
  { changes }: UncertainWrite,
  verdict: "unchanged" | "absent" | "undecided" | "applied",
): boolean {
  if (changes.every(({ entry }) => entry.isIdempotent)) return true;
  return verdict !== "undecided" && isFenced(changes);
}

/** Too late for the request to take effect after all. */
function forget(write: UncertainWrite, entries: readonly TrackedEntity[]): void {
  for (const entry of entries) entry.uncertain = entry.uncertain.filter((other) => other !== write);
}

/** A removal that is proved done: the entity that was to take its key over is to be inserted, not to replace it. */
function releaseReplacements({ entities }: ChangeTracker, write: UncertainWrite): void {
  for (const { entry, operation } of write.changes) {
    const successor = entities.ofKey(entry.model, entry.key);
    if (operation.type !== "delete" || successor?.replaced !== entry) continue;
    successor.intent = { type: "add" };
    successor.etag = undefined;
    successor.replaced = undefined;
    successor.uncertain = [];
  }
}

/** What was to be removed right after an insert that did not happen needs no removal. */
function dropVainRemovals({ entities }: ChangeTracker, { changes }: UncertainWrite): void {
  for (const { entry, operation } of changes) {
    const isOnlyAdded = entry.snapshot === undefined && entry.etag === undefined;
    if (operation.type === "insert" && entry.intent.type === "remove" && isOnlyAdded) entities.delete(entry);
  }
}
