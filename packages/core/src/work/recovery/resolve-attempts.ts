// `save/earlier-attempts.ts` and `resolve-in-doubt.ts` call this file before they send or report anything. It reads
// the markers and rows of attempts that earlier saves left in doubt, concludes each attempt, and then decides for
// each entity whether it may be sent again.

import { etagOf } from "../../model/codec/row-layout.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { inParallel } from "../../storage/in-parallel.ts";
import { hasChanges, takeSameRow } from "../unit-of-work/accept.ts";
import { mayWriteOver } from "../unit-of-work/known-row.ts";
import type { RemoveMissing, SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { type Attempt, isOver } from "./attempt.ts";
import { findOut, type Found } from "./find-out.ts";
import type { Lost } from "./ledger.ts";
import { applyOutcomes, type Outcome, type RecoverySource } from "./outcome.ts";
import { goneOrDone, staysWithGroup, storedOutcomes } from "./after-lost-response.ts";
import { readingOnce } from "./read-back.ts";
import { heldResult } from "./unsent-results.ts";
import { isConditional, maySend, type MemberFinding, type Operation } from "./lost-response-rules.ts";

/** An entity and its result in a save. */
export interface EntryResult {
  readonly entry: TrackedEntity;
  readonly result: SaveResult;
}

/** The result reported for an entity, with the sent change. */
export interface Resolved extends EntryResult {
  readonly change: ChangeSet;
}

/** The findings about unknown outcomes of earlier saves. */
export interface ResolvedAttempts {
  /** Results that are known, for entities that may be sent: proved to be stored, or final. */
  readonly known: readonly Resolved[];
  /** Results that are still unknown, for entities that this save must not send. */
  readonly blocked: readonly Resolved[];
  /** Attempts that were proved not to be stored, now and in the future. */
  readonly disproved: readonly Attempt[];
}

/** Options for resolving attempts. */
export interface ResolveAttemptOptions {
  readonly concurrency: number;
  readonly removeMissing?: RemoveMissing | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves unknown outcomes of earlier saves before anything else is sent for their entities. Stored changes are
 * accepted. An entity may be sent again if its own condition prevents its change from being stored twice.
 */
export async function resolveAttempts(
  source: RecoverySource,
  entries: readonly TrackedEntity[],
  options: ResolveAttemptOptions,
): Promise<ResolvedAttempts> {
  const { storage, retries } = source;
  const asked = askedOf(source, entries);
  const attempts = [...new Set([...asked.values()].flat().map(({ attempt }) => attempt))];
  // The newest first: once it is proved, older ones no longer matter.
  attempts.sort((a, b) => b.serial - a.serial);
  // Checked before reading: an attempt that ends later may still have been in progress during the read.
  const over = new Set(attempts.filter(isOver));
  const once = readingOnce(storage);
  const responses = await inParallel(attempts, options.concurrency, (attempt) =>
    findOut(
      attempt.marker === undefined ? once : storage,
      attempt,
      retries,
      options.signal,
      over.has(attempt),
    ),
  );
  const conclusions = new Conclusions(source, options);
  for (const [i, attempt] of attempts.entries())
    conclusions.conclude(attempt, responses[i], over.has(attempt));
  for (const [entry, lost] of asked) conclusions.decide(entry, lost);
  return conclusions;
}

/**
 * Entities, and those sent in the same transactions, each with all its attempts in reverse order of age. No entity is
 * decided by only some of its attempts.
 */
function askedOf(
  { ledger, tracker }: RecoverySource,
  entries: readonly TrackedEntity[],
): Map<TrackedEntity, readonly Lost[]> {
  const asked = new Map<TrackedEntity, readonly Lost[]>();
  const left = [...entries];
  for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
    const open = asked.has(entry) ? [] : ledger.open(entry).toReversed();
    if (open.length === 0) continue;
    asked.set(entry, open);
    for (const { attempt } of open)
      for (const change of attempt.changes)
        if (ledger.waiting(attempt, change) !== undefined)
          left.push(tracker.entities.ofKey(change.entry.model, change.entry.key) ?? entry);
  }
  return asked;
}

/** Concludes each attempt, and then decides each entity. */
class Conclusions implements ResolvedAttempts {
  readonly #source: RecoverySource;
  readonly #options: ResolveAttemptOptions;
  readonly #found = new Map<Attempt, Found>();
  readonly known: Resolved[] = [];
  readonly #stored = new Set<TrackedEntity>();
  readonly #blocked = new Map<TrackedEntity, Resolved>();
  readonly disproved: Attempt[] = [];

  constructor(source: RecoverySource, options: ResolveAttemptOptions) {
    this.#source = source;
    this.#options = options;
  }

  get blocked(): readonly Resolved[] {
    return [...this.#blocked.values()];
  }

  /** Applies the findings about one attempt. */
  conclude(attempt: Attempt, found: Found | undefined, wasOver: boolean): void {
    const { ledger } = this.#source;
    // An attempt that a newer one superseded meanwhile no longer concerns any entity.
    if (found === undefined || this.#waiting(attempt).length === 0) return;
    this.#found.set(attempt, found);
    const { finding } = found;
    switch (finding) {
      case "marker":
        return this.#accept(attempt, found);
      case "content":
        // Equal values prove nothing while a newer attempt may have stored the same.
        if (this.#hasNewer(attempt)) return;
        if (!this.#hasLeft(attempt, found)) return this.#accept(attempt, found);
        if (wasOver) ledger.close(attempt);
        return;
      case "never":
        this.disproved.push(attempt);
        return ledger.remove(attempt);
      case "closed":
        return ledger.close(attempt);
      case "not yet":
      case "open":
        return;
      default:
        return finding satisfies never;
    }
  }

  /** Accepts a stored attempt. If a row was deleted, the deleting program may still be unknown. */
  #accept(attempt: Attempt, found: Found): void {
    const { tracker, ledger } = this.#source;
    const waiting = new Map(this.#waiting(attempt).map((lost) => [lost.change, lost]));
    const removeMissing = this.#removeMissingOf(attempt);
    const outcomes = storedOutcomes(attempt, found, removeMissing, 0).filter(({ change }) =>
      waiting.has(change),
    );
    if (found.finding === "marker") ledger.remove(attempt);
    const isEnded = ({ change }: Outcome): boolean => waiting.get(change)?.isEnded === true;
    const isOwn = ({ change: { entry } }: Outcome): boolean =>
      tracker.entities.ofEntity(entry.entity) === entry;
    const wanted = outcomes.filter((outcome) => !isEnded(outcome));
    for (const { change } of found.rows.length === 0 ? [] : outcomes.filter(isEnded)) {
      const row = found.rows[attempt.changes.indexOf(change)];
      // It was applied after its entity had accepted the stored row.
      if ((row && etagOf(row)) !== change.entry.etag) change.entry.isStale = true;
    }
    for (const { change, row } of wanted.filter((outcome) => !isOwn(outcome))) this.#succeed(change, row);
    applyOutcomes(this.#source, wanted.filter(isOwn));
    for (const { change, result } of outcomes) this.#report(change.entry, change, result);
  }

  /** Another instance now has the key: it replaces the stored row, or is inserted if there is none. */
  #succeed({ entry, operation, after: snapshot }: ChangeSet, row: StoredEntity | undefined): void {
    const { tracker, ledger } = this.#source;
    const { model, key } = entry;
    const successor = tracker.entities.ofKey(model, key);
    if (successor === undefined) return;
    ledger.stored(successor);
    if (operation.type === "delete") return release(this.#source, successor);
    // If another program has changed the row since, it must not be replaced: the old version will be refused.
    const { intent } = successor;
    if (intent.type !== "add" || row === undefined) return;
    if (!mayWriteOver({ model, key, snapshot }, row, intent)) return;
    const etag = etagOf(row) as string;
    Object.assign(entry, { snapshot, etag });
    successor.etag = etag;
    successor.intent = { ...intent, replaces: etag };
  }

  /** Decides whether an entity is sent, once all its attempts are concluded. */
  decide(entry: TrackedEntity, asked: readonly Lost[]): void {
    const { ledger } = this.#source;
    // It is stored, or was detached when another attempt was concluded.
    if (entry.home === undefined || this.#stored.has(entry)) return;
    const left = asked.filter(({ attempt }) => ledger.stateOf(entry, attempt) !== undefined);
    if (entry.intent.type === "remove" && entry.etag === undefined)
      return this.#decideUnstored(entry, asked, left);
    const gone = left.find((one) => this.#findingOf(one) === "gone");
    if (gone !== undefined) return this.#decideGone(entry, gone, asked);
    const newest = left.find(({ attempt }) => ledger.stateOf(entry, attempt) === "open");
    // No request can still arrive. It is sent like one without a lost response, but a refusal proves nothing.
    if (newest === undefined) return this.#decideClosed(entry, left);
    const found = this.#found.get(newest.attempt);
    const wanted = operationOf(entry);
    const isIdempotent = entry.intent.type === "upsert" && entry.intent.isIdempotent === true;
    const row = found?.rows[newest.attempt.changes.indexOf(newest.change)];
    const maySendIt =
      found !== undefined &&
      // Another row proves that the attempt is not applied. If it still arrives, one of the two is refused.
      ((found.finding === "not yet" &&
        newest.attempt.isAtomic !== true &&
        (wanted.type === "insert" || isConditional(wanted))) ||
        maySend(wanted, row && { etag: etagOf(row) }, { canArrive: true, isIdempotent }));
    if (!maySendIt) this.#block(entry, newest);
  }

  /** A change that the program reverted is not sent again, so its unknown outcome is reported now. */
  #decideClosed(entry: TrackedEntity, [newest]: readonly Lost[]): void {
    if (newest === undefined || hasChanges(entry)) return;
    const { attempt, change } = newest;
    const found = this.#found.get(attempt);
    if (found !== undefined && found.rows.length > 0)
      takeSameRow(entry, found.rows[attempt.changes.indexOf(change)]);
    this.known.push({ entry, change, result: heldResult(this.#source.ledger, entry) });
  }

  /** The program deleted it right after a write that may have stored its row, so there is no version for the delete. */
  #decideUnstored(entry: TrackedEntity, asked: readonly Lost[], left: readonly Lost[]): void {
    const [newest] = left;
    if (entry.isInDoubt) return this.#block(entry, newest as Lost);
    const { attempt, change } = asked[0] as Lost;
    const [found, at] = [this.#found.get(attempt), attempt.changes.indexOf(change)];
    const stored = found?.rows[at];
    // A row with other values belongs to another program, unless it is unchanged since. An insert would have been
    // refused there.
    const isUntouched = found?.members[at] === "not yet" && change.operation.type !== "insert";
    if (stored !== undefined && (isUntouched || this.#findingOf({ attempt, change }) === "equal"))
      entry.etag = etagOf(stored);
    // It may be stored: the save reads its row once more, and reports a conflict if the row is another program's.
    else if (newest === undefined || stored === undefined) this.#source.tracker.entities.delete(entry);
  }

  /** A delete's row no longer exists. */
  #decideGone(entry: TrackedEntity, { attempt, change }: Lost, asked: readonly Lost[]): void {
    const { ledger } = this.#source;
    if (entry !== change.entry) {
      ledger.stored(entry);
      return release(this.#source, entry);
    }
    // The delete was reverted and something else was sent: the row may have been deleted after that.
    if (entry.intent.type !== "remove" && asked[0]?.attempt !== attempt) return ledger.drop(entry, attempt);
    const removeMissing = this.#removeMissingOf(attempt);
    if (staysWithGroup({ ...attempt, removeMissing })) return this.#block(entry, { change });
    const outcome = goneOrDone(change, attempt, removeMissing, 0);
    applyOutcomes(this.#source, [outcome]);
    this.#report(entry, change, outcome.result);
  }

  #waiting(attempt: Attempt): Lost[] {
    return attempt.changes.flatMap((change) => this.#source.ledger.waiting(attempt, change) ?? []);
  }

  /** Whether an entity of an attempt also waits for a newer one. */
  #hasNewer(attempt: Attempt): boolean {
    const { ledger } = this.#source;
    return this.#waiting(attempt).some(({ change }) => ledger.open(change.entry).at(-1)?.attempt !== attempt);
  }

  /**
   * Whether equal values belong to a row that does not wait for the attempt any more: newer writes may have stored
   * them.
   */
  #hasLeft(attempt: Attempt, { members }: Found): boolean {
    const { ledger } = this.#source;
    return attempt.changes.some(
      (change, i) => members[i] === "equal" && ledger.waiting(attempt, change) === undefined,
    );
  }

  /** The finding from the row about a change that may have been applied. */
  #findingOf({ attempt, change }: Pick<Lost, "attempt" | "change">): MemberFinding | undefined {
    const found = this.#found.get(attempt);
    return found?.finding === "not yet" || found?.finding === "never"
      ? undefined
      : found?.members[attempt.changes.indexOf(change)];
  }

  #removeMissingOf({ removeMissing }: Attempt): RemoveMissing | undefined {
    return removeMissing === "error" ? "error" : this.#options.removeMissing;
  }

  #block(entry: TrackedEntity, { change }: Pick<Lost, "change">): void {
    this.#report(entry, change, heldResult(this.#source.ledger, entry));
  }

  #report(entry: TrackedEntity, change: ChangeSet, result: SaveResult): void {
    if (result.outcome !== "committed") this.#blocked.set(entry, { entry, change, result });
    else {
      this.known.push({ entry, change, result });
      this.#stored.add(entry);
    }
  }
}

/** The operation that an entity would send now. */
function operationOf({ intent, etag, snapshot }: TrackedEntity): Operation {
  switch (intent.type) {
    case "add":
      return snapshot === undefined && intent.replaces === undefined
        ? { type: "insert" }
        : { type: "replace", etag: intent.replaces ?? etag };
    case "upsert":
      return { type: "upsert" };
    case "remove":
      return { type: "delete", etag };
    case "none":
      return { type: "merge", etag };
    default:
      return intent satisfies never;
  }
}

/** The row that an entity should replace does not exist: the entity is inserted, or there is nothing to delete. */
function release({ tracker }: RecoverySource, successor: TrackedEntity): void {
  if (successor.intent.type === "remove") tracker.entities.delete(successor);
  else successor.intent = { type: "add" };
  successor.etag = undefined;
  tracker.entities.endReplacement(successor);
}
