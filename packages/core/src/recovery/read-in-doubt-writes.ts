import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { applyOutcomes, neverKnown, type Outcome, type RecoverySource, unknownOutcomes } from "./outcome.ts";
import { closeWrite } from "./close-write.ts";
import type { RowEvidence, Verdict } from "./judge-write.ts";
import { acceptMarked, acceptRows, findRows, goneOrDone } from "./prove-write.ts";
import { monotonicTime } from "../storage/clock.ts";
import type { Evidence, SaveResult } from "../unit-of-work/save-result.ts";
import { inParallel } from "../storage/in-parallel.ts";
import type { ChangeSet, TrackedEntity, InDoubtWrite } from "../unit-of-work/tracked-entity.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { appliesOnce } from "../unit-of-work/in-doubt-write.ts";

/** An entity and what a save reports of it. */
export interface EntryResult {
  readonly entry: TrackedEntity;
  readonly result: SaveResult;
}

/** What is reported of an entity, and of which of its writes. */
export interface Proved extends EntryResult {
  readonly write: InDoubtWrite;
}

/** What is found out about writes whose outcome an earlier save could not learn. */
export interface Resolved {
  /** Proved stored. */
  readonly committed: readonly Proved[];
  /** Proved not to be stored, now and for ever. */
  readonly disproved: ReadonlySet<InDoubtWrite>;
  /** Not known, and not to be sent by this save: still in doubt, or never to be known. */
  readonly unknown: readonly Proved[];
}

/** How writes in doubt are resolved. */
export interface ResolveWriteOptions {
  readonly concurrency: number;
  readonly removeMissing?: "conflict" | "ignore";
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds out what earlier saves left unknown, before anything else is sent for the same entities. What turns out to be
 * stored is accepted. What is not there yet may be sent again, where its own condition keeps it from being stored twice:
 * each member of a transaction by itself, since the condition of another one does not guard it. What nobody can find out
 * any more is reported once, and leaves the ledger.
 */
export async function resolveWrites(
  source: RecoverySource,
  entries: readonly TrackedEntity[],
  options: ResolveWriteOptions,
): Promise<Resolved> {
  const { tracker } = source;
  const committed: Proved[] = [];
  const disproved = new Set<InDoubtWrite>();
  const unknown = new Map<TrackedEntity, Proved>();
  const waitingFor = new Map<InDoubtWrite, TrackedEntity[]>();
  for (const entry of entries)
    for (const write of entry.inDoubt) waitingFor.set(write, [...(waitingFor.get(write) ?? []), entry]);
  // The newest first: once it is proved, those before it no longer matter.
  const writes = [...waitingFor.keys()].reverse();
  // Before reading: what is read later may still have been on its way.
  const asOf = writes.map(({ clock }) => monotonicTime(clock));
  const findings = await inParallel(writes, options.concurrency, (write) => findOut(source, write, options));
  for (const [i, write] of writes.entries()) {
    const waitingEntries = waitingFor.get(write) ?? [];
    if (!waitingEntries.some((entry) => entry.inDoubt.includes(write))) continue;
    const found = findings[i];
    const isByContent = found?.evidence === "content";
    if (found?.verdict === "applied" && !(isByContent && hasNewer(waitingEntries, write))) {
      const outcomes = found.outcomes().filter(concerns(tracker, write));
      releaseSuccessors(tracker, write);
      applyOutcomes(source, outcomes);
      for (const { change, result, isGone } of outcomes) {
        const { entry } = change;
        if (isGone === true) unknown.set(entry, { entry, result, write });
        else committed.push({ entry, result, write });
      }
      continue;
    }
    const isOver = (asOf[i] as number) > write.lateUntil;
    const isDisproved = found?.verdict === "disproved" || (isOver && found?.verdict === "unchanged");
    if (isDisproved) disproved.add(write);
    for (const [at, change] of write.changes.entries()) {
      const entry = waiting(tracker, write, change);
      if (entry === undefined) continue;
      const fate = isDisproved ? "ended" : fateOf(change, entry, found, at, isOver);
      if (fate === "sendable") continue;
      if (fate === "ended" || fate === "never known")
        stopWaiting(tracker, write, change, entry, found?.rows[at]);
      if (fate === "never known") entry.neverKnown = [...entry.neverKnown, write];
      if (fate === "ended") continue;
      if (fate === "gone" && entry !== change.entry) {
        // It took the key of one that is gone: it is to be inserted.
        releaseSuccessor(tracker, entry);
        continue;
      }
      const outcome = outcomeOf(fate, change, write, options);
      if (fate === "gone") applyOutcomes(source, [outcome]);
      const report = { entry, result: { ...outcome.result, entity: entry.entity }, write };
      if (outcome.result.outcome === "committed") committed.push(report);
      else if (!unknown.has(entry)) unknown.set(entry, report);
    }
  }
  const stored = new Set(committed.map(({ entry }) => entry));
  return { committed, disproved, unknown: [...unknown.values()].filter(({ entry }) => !stored.has(entry)) };
}

/** What is reported of an entity whose write was not proved. */
function outcomeOf(
  fate: "blocked" | "gone" | "never known",
  change: ChangeSet,
  write: InDoubtWrite,
  { removeMissing }: ResolveWriteOptions,
): Outcome {
  if (fate === "never known") return neverKnown(change, write.error, 0);
  if (fate === "blocked")
    return unknownOutcomes({ ...write, changes: [change] }, write.error, 0)[0] as Outcome;
  return goneOrDone(change, { attempts: 0, removeMissing, cause: write.error });
}

/** What is known of a write in doubt by now. */
interface Finding {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly members: readonly RowEvidence[];
  readonly rows: readonly (StoredEntity | undefined)[];
  /** The outcomes, where it was applied. */
  outcomes(): Outcome[];
}

/** Asks the marker of a write, or the rows; undefined when the store did not answer. */
async function findOut(
  { storage, retries }: RecoverySource,
  write: InDoubtWrite,
  { signal, removeMissing }: ResolveWriteOptions,
): Promise<Finding | undefined> {
  const { changes } = write;
  if (write.marker === undefined) {
    const found = await findRows(storage, write, signal);
    if (found === undefined) return undefined;
    const proof = { evidence: found.evidence, attempts: 0, removeMissing, cause: write.error };
    return { ...found, outcomes: () => acceptRows(changes, found.rows, proof) };
  }
  const verdict = await closeWrite(storage, write, retries, signal);
  if (verdict === undefined) return undefined;
  const outcomes = verdict === "applied" ? await acceptMarked(storage, write, 0, signal) : [];
  return {
    verdict: verdict === "applied" ? "applied" : "disproved",
    evidence: "marker",
    members: [],
    rows: [],
    outcomes: () => outcomes,
  };
}

/** What becomes of an entity that waits for a write whose outcome is not known. */
type Fate = "blocked" | "sendable" | "ended" | "never known" | "gone";

function fateOf(
  change: ChangeSet,
  entry: TrackedEntity,
  found: Finding | undefined,
  at: number,
  isOver: boolean,
): Fate {
  // Equal values, while a later write may have stored the same.
  if (found === undefined || found.verdict === "applied") return "blocked";
  const member = found.members[at];
  if (member === "gone" && found.verdict !== "unchanged") return "gone";
  const isStoredNot = found.verdict === "unchanged" || member === "absent";
  // What is absent may have been stored, and removed by somebody since: it may be sent again, but is not disproved.
  if (isOver) return isStoredNot ? "ended" : "never known";
  return mayBeSentAgain(change, entry, isStoredNot) ? "sendable" : "blocked";
}

/** Whether an entity waits for a later write too, which may have stored the same values. */
const hasNewer = (entries: readonly TrackedEntity[], write: InDoubtWrite): boolean =>
  entries.some(({ inDoubt }) => inDoubt.includes(write) && inDoubt.at(-1) !== write);

/** Whether an outcome is of an entity that is still tracked and still waits for it. */
const concerns =
  ({ entities }: ChangeTracker, write: InDoubtWrite) =>
  ({ change: { entry } }: Outcome): boolean =>
    entities.ofEntity(entry.entity) === entry && entry.inDoubt.includes(write);

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
 * An entity waits for a write no longer. What was removed right after a write that did not happen needs no removal, unless
 * it was to overwrite a row that is there.
 */
function stopWaiting(
  { entities }: ChangeTracker,
  write: InDoubtWrite,
  { operation }: ChangeSet,
  entry: TrackedEntity,
  row: StoredEntity | undefined,
): void {
  entry.inDoubt = entry.inDoubt.filter((other) => other !== write);
  if (entry.intent.type !== "remove" || entry.etag !== undefined) return;
  const stored = operation.type === "insert" ? undefined : row;
  if (stored === undefined) entities.delete(entry);
  else entry.etag = etagOf(stored);
}

/** A removal that is proved done: an entity that took the key over is to be inserted, not to replace it. */
function releaseSuccessors(tracker: ChangeTracker, write: InDoubtWrite): void {
  for (const change of write.changes) {
    const successor = waiting(tracker, write, change);
    if (change.operation.type === "delete" && successor !== undefined && successor !== change.entry)
      releaseSuccessor(tracker, successor);
  }
}

function releaseSuccessor({ entities }: ChangeTracker, successor: TrackedEntity): void {
  if (successor.intent.type === "remove") entities.delete(successor);
  else successor.intent = { type: "add" };
  successor.etag = undefined;
  successor.replaced = undefined;
  successor.inDoubt = [];
}
