import type { StoredEntity } from "../edm/stored-entity.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { inParallel } from "../storage/in-parallel.ts";
import { isOver } from "../unit-of-work/in-doubt-write.ts";
import type { ChangeSet, InDoubtWrite, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { type Finding, findOut, type FindOutOptions, removeMissingOf } from "./find-out.ts";
import { applyOutcomes, neverKnown, type Outcome, type RecoverySource, unknownOutcomes } from "./outcome.ts";
import { mayBeSentLater } from "./may-send-again.ts";
import { goneOrDone } from "./prove-write.ts";
import { readingOnce } from "./read-back.ts";
import { releaseSuccessor, releaseSuccessors, stopWaiting, waiting } from "./waiting-entities.ts";

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
export interface ResolveWriteOptions extends FindOutOptions {
  readonly concurrency: number;
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
  const waitingFor = new Map<InDoubtWrite, TrackedEntity[]>();
  for (const entry of entries)
    for (const write of entry.inDoubt) waitingFor.set(write, [...(waitingFor.get(write) ?? []), entry]);
  // The newest first: once it is proved, those before it no longer matter.
  const writes = [...waitingFor.keys()].toSorted((a, b) => b.serial - a.serial);
  // Before reading: what is read later may still have been on its way.
  const areOver = writes.map(isOver);
  const once = { ...source, storage: readingOnce(source.storage) };
  const findings = await inParallel(writes, options.concurrency, (write) =>
    findOut(write.marker === undefined ? once : source, write, options),
  );
  const conclusions = new Conclusions(source, options);
  for (const [i, write] of writes.entries()) {
    const entriesOfWrite = waitingFor.get(write) ?? [];
    if (!entriesOfWrite.some((entry) => entry.inDoubt.includes(write))) continue;
    const found = findings[i] && unlessLeft(source.tracker, write, findings[i]);
    const mayBeNewer = found?.evidence === "content" && hasNewer(source.tracker, write);
    if (found?.verdict === "applied" && !mayBeNewer) conclusions.accept(write, found.outcomes());
    else conclusions.decide(write, found, areOver[i] === true);
  }
  return conclusions.resolved();
}

/** What becomes of an entity that waits for a write whose outcome is not known. */
type Fate = "blocked" | "sendable" | "ended" | "absent" | "never known" | "gone";

/** What is concluded of one write after the other; each conclusion takes effect on the entities at once. */
class Conclusions {
  readonly #source: RecoverySource;
  readonly #options: ResolveWriteOptions;
  readonly #committed: Proved[] = [];
  readonly #disproved = new Set<InDoubtWrite>();
  readonly #unknown: Proved[] = [];

  constructor(source: RecoverySource, options: ResolveWriteOptions) {
    this.#source = source;
    this.#options = options;
  }

  resolved(): Resolved {
    const stored = new Set(this.#committed.map(({ entry }) => entry));
    // An entity that another conclusion released is blocked no longer; what is final stays so.
    const isLeft = ({ entry, result, write }: Proved): boolean =>
      !stored.has(entry) && (result.lateUntil === undefined || entry.inDoubt.includes(write));
    // Of several writes of one entity, the newest is what is reported.
    const unknown = new Map<TrackedEntity, Proved>();
    for (const one of this.#unknown.filter(isLeft)) if (!unknown.has(one.entry)) unknown.set(one.entry, one);
    return { committed: this.#committed, disproved: this.#disproved, unknown: [...unknown.values()] };
  }

  /** It was stored; who removed a row may still not be known. */
  accept(write: InDoubtWrite, all: readonly Outcome[]): void {
    const { tracker } = this.#source;
    const outcomes = all.filter(concerns(tracker, write));
    releaseSuccessors(tracker, write);
    applyOutcomes(this.#source, outcomes);
    for (const { change, result } of outcomes) this.#report(change.entry, result, write);
  }

  /** It is not proved stored: each of its entities goes on by itself. */
  decide(write: InDoubtWrite, found: Finding | undefined, isOver: boolean): void {
    const isDisproved = found?.verdict === "disproved" || (isOver && found?.verdict === "unchanged");
    if (isDisproved) this.#disproved.add(write);
    for (const [at, change] of write.changes.entries()) {
      const entry = waiting(this.#source.tracker, write, change);
      if (entry === undefined) continue;
      const fate = isDisproved ? "ended" : fateOf(change, entry, found, at, isOver);
      this.#meet(fate, write, change, entry, rowOf(change, found, at));
    }
  }

  #meet(
    fate: Fate,
    write: InDoubtWrite,
    change: ChangeSet,
    entry: TrackedEntity,
    row: StoredEntity | undefined,
  ): void {
    const { tracker } = this.#source;
    switch (fate) {
      case "sendable":
        return;
      case "blocked":
        for (const { result } of unknownOutcomes({ ...write, changes: [change] }, write.error, 0))
          this.#report(entry, result, write);
        return;
      case "never known":
        entry.neverKnown = [...entry.neverKnown, write];
        this.#report(entry, neverKnown(change, write.error, 0).result, write);
        return stopWaiting(tracker, write, entry, row);
      case "absent":
        entry.neverKnown = [...entry.neverKnown, write];
        return stopWaiting(tracker, write, entry, row);
      case "ended":
        return stopWaiting(tracker, write, entry, row);
      case "gone":
        if (entry !== change.entry) return releaseSuccessor(tracker, entry);
        // Taken back since, and something else was sent: the row may have been removed after that.
        if (entry.intent.type !== "remove" && entry.inDoubt.at(-1) !== write)
          return stopWaiting(tracker, write, entry, row);
        return this.#detach(change, write);
      default:
        return fate satisfies never;
    }
  }

  #detach(change: ChangeSet, write: InDoubtWrite): void {
    const removeMissing = removeMissingOf(write, this.#options.removeMissing);
    const outcome = goneOrDone(change, { attempts: 0, removeMissing, cause: write.error });
    applyOutcomes(this.#source, [outcome]);
    this.#report(change.entry, outcome.result, write);
  }

  #report(entry: TrackedEntity, result: SaveResult, write: InDoubtWrite): void {
    const report = {
      entry,
      result: result.entity === entry.entity ? result : { ...result, entity: entry.entity },
      write,
    };
    if (result.outcome === "committed") this.#committed.push(report);
    else this.#unknown.push(report);
  }
}

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
  const isUnchanged = found.verdict === "unchanged";
  // What is absent may have been stored, and removed by somebody since: it may be sent again, but is not disproved.
  if (isOver) return isUnchanged ? "ended" : member === "absent" ? "absent" : "never known";
  return mayBeSentLater(change, entry, isUnchanged || member === "absent") ? "sendable" : "blocked";
}

/** The row that an entity of a write stands for; of an insert only what it may have stored, not somebody else's. */
function rowOf({ operation }: ChangeSet, found: Finding | undefined, at: number): StoredEntity | undefined {
  const mayBeInserted = found?.members[at] === "consistent" && found.verdict !== "unchanged";
  return operation.type !== "insert" || mayBeInserted ? found?.rows[at] : undefined;
}

/**
 * Equal values of a row prove nothing of a write that its entity no longer waits for: what was stored, read or attached
 * since may be where they come from. So they do not speak for the other rows of the transaction.
 */
function unlessLeft(tracker: ChangeTracker, write: InDoubtWrite, found: Finding): Finding {
  if (found.verdict !== "applied" || found.evidence !== "content") return found;
  const hasLeft = write.changes.some(
    (change, i) => found.members[i] === "consistent" && waiting(tracker, write, change) === undefined,
  );
  return hasLeft ? { ...found, verdict: "undecided" } : found;
}

/** Whether an entity of a write, asked about or not, waits for a later one too, which may have stored the same values. */
const hasNewer = (tracker: ChangeTracker, write: InDoubtWrite): boolean =>
  write.changes.some((change) => {
    const entry = waiting(tracker, write, change);
    return entry !== undefined && entry.inDoubt.at(-1) !== write;
  });

/** Whether an outcome is of an entity that is still tracked and still waits for it. */
const concerns =
  ({ entities }: ChangeTracker, write: InDoubtWrite) =>
  ({ change: { entry } }: Outcome): boolean =>
    entities.ofEntity(entry.entity) === entry && entry.inDoubt.includes(write);
