import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { applyOutcomes, type Outcome, type RecoverySource, unknownOutcomes } from "./outcome.ts";
import { acceptRows, findRows } from "./prove-write.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { inParallel } from "../storage/in-parallel.ts";
import type { ChangeSet, TrackedEntity, InDoubtWrite } from "../unit-of-work/tracked-entity.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { appliesOnce } from "../unit-of-work/in-doubt-write.ts";

/** An entity and what a save reports of it. */
export interface EntryResult {
  readonly entry: TrackedEntity;
  readonly result: SaveResult;
}

/** What is reported of the outcome of one write. */
export interface Proved extends EntryResult {
  readonly write: InDoubtWrite;
}

/** What reading back proved about writes whose outcome an earlier save could not learn. */
export interface Resolved {
  /** Proved stored. */
  readonly committed: readonly Proved[];
  /** Proved not to be stored, now and for ever. */
  readonly disproved: ReadonlySet<InDoubtWrite>;
  /** Still open, and not to be sent again until their owner decides or the request can no longer take effect. */
  readonly unknown: readonly EntryResult[];
}

/**
 * Reads back what earlier saves left unknown, before anything else is sent for the same entities. What turns out to be
 * stored is accepted; what is not there yet may be sent again, where its own condition keeps it from being stored
 * twice: the condition of another member of the same transaction does not, once it is sent without that one.
 */
export async function resolveWrites(
  source: RecoverySource,
  entries: readonly TrackedEntity[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal?: AbortSignal | undefined },
): Promise<Resolved> {
  const { storage, tracker } = source;
  const committed: Proved[] = [];
  const disproved = new Set<InDoubtWrite>();
  const open = new Map<InDoubtWrite, readonly EntryResult[]>();
  const waitingFor = new Map<InDoubtWrite, TrackedEntity[]>();
  for (const entry of entries)
    for (const write of entry.inDoubt) waitingFor.set(write, [...(waitingFor.get(write) ?? []), entry]);
  // The newest first: once it is proved, those before it no longer matter.
  const writes = [...waitingFor.keys()].reverse();
  // Before reading: what is read later may still have been on its way.
  const asOf = writes.map(({ clock }) => clock.now());
  const rows = await inParallel(writes, concurrency, (write) => findRows(storage, write, signal));
  for (const [i, write] of writes.entries()) {
    if (waitingFor.get(write)?.some((entry) => entry.inDoubt.includes(write)) !== true) continue;
    const found = rows[i];
    if (found?.verdict === "applied" && !(found.isByContent && hasNewer(waitingFor.get(write), write))) {
      const outcomes = acceptRows(write.changes, found.rows, 0).filter(concerns(tracker, write));
      releaseSuccessors(tracker, write);
      applyOutcomes(source, outcomes);
      committed.push(...outcomes.map(({ change, result }) => ({ entry: change.entry, result, write })));
    } else {
      const isDecided = found !== undefined && found.verdict !== "undecided" && found.verdict !== "applied";
      // Too late for the request to take effect after all.
      const isOver = isDecided && (asOf[i] as number) > write.lateUntil;
      // What is absent may have been stored, and removed by somebody since.
      if (found?.verdict === "disproved" || (isOver && found.verdict === "unchanged")) disproved.add(write);
      if (disproved.has(write) || isOver) stopWaiting(tracker, write, found?.rows ?? []);
      open.set(write, stillOpen(tracker, write, isDecided));
    }
  }
  const isOpen = (write: InDoubtWrite) => (reported: EntryResult) => reported.entry.inDoubt.includes(write);
  const left = [...open].flatMap(([write, reported]) => reported.filter(isOpen(write)));
  return {
    committed,
    disproved,
    unknown: [...new Map(left.map((reported) => [reported.entry, reported])).values()],
  };
}

/** Whether an entity waits for a later write too, which may have stored the same values. */
const hasNewer = (entries: readonly TrackedEntity[] | undefined, write: InDoubtWrite): boolean =>
  entries?.some(({ inDoubt }) => inDoubt.includes(write) && inDoubt.at(-1) !== write) === true;

/** Whether an outcome is of an entity that is still tracked and still waits for it. */
const concerns =
  ({ entities }: ChangeTracker, write: InDoubtWrite) =>
  ({ change: { entry } }: Outcome): boolean =>
    entities.ofEntity(entry.entity) === entry && entry.inDoubt.includes(write);

/** The entities of a write that wait for it, or for the one whose key they took, and must not be sent yet. */
function stillOpen(tracker: ChangeTracker, write: InDoubtWrite, isDecided: boolean): EntryResult[] {
  return unknownOutcomes(write, write.error, 0).flatMap(({ change, result }) => {
    const entry = waiting(tracker, write, change);
    if (entry === undefined || mayBeSentAgain(change, entry, isDecided)) return [];
    return [{ entry, result: { ...result, entity: entry.entity } }];
  });
}

const waiting = (
  { entities }: ChangeTracker,
  write: InDoubtWrite,
  { entry }: ChangeSet,
): TrackedEntity | undefined => {
  const current = entities.ofKey(entry.model, entry.key);
  return current?.inDoubt.includes(write) === true ? current : undefined;
};

function mayBeSentAgain(change: ChangeSet, entry: TrackedEntity, isDecided: boolean): boolean {
  // What was removed right after its insert has no version to remove it by.
  if (entry.intent.type === "remove" && entry.etag === undefined) return false;
  if (entry.isIdempotent) return true;
  // Another instance that took the key is refused, if it comes to that, by its own condition.
  return appliesOnce(change) && (isDecided || entry !== change.entry);
}

/**
 * No entity waits for it any longer. What was removed right after a write that did not happen needs no removal, unless
 * it was to overwrite a row that is there.
 */
function stopWaiting(
  tracker: ChangeTracker,
  write: InDoubtWrite,
  rows: readonly (StoredEntity | undefined)[],
): void {
  for (const [i, change] of write.changes.entries()) {
    const entry = waiting(tracker, write, change);
    if (entry === undefined) continue;
    entry.inDoubt = entry.inDoubt.filter((other) => other !== write);
    if (entry.intent.type !== "remove" || entry.etag !== undefined) continue;
    const row = change.operation.type === "insert" ? undefined : rows[i];
    if (row === undefined) tracker.entities.delete(entry);
    else entry.etag = etagOf(row);
  }
}

/** A removal that is proved done: an entity that took the key over is to be inserted, not to replace it. */
function releaseSuccessors(tracker: ChangeTracker, write: InDoubtWrite): void {
  for (const change of write.changes) {
    const successor = waiting(tracker, write, change);
    if (change.operation.type !== "delete" || successor === undefined || successor === change.entry) continue;
    if (successor.intent.type === "remove") tracker.entities.delete(successor);
    else successor.intent = { type: "add" };
    successor.etag = undefined;
    successor.replaced = undefined;
    successor.inDoubt = [];
  }
}
