// The context's record of lost responses, by row and not by entity. Saves add attempts, and check which of them an
// entity still waits for; `resolve-attempts.ts` and `delayed-writes.ts` remove attempts once they are decided.
// `LostResponses` in unit-of-work/ is its port.

import { hasSameProperty } from "../../values/edm/same-value.ts";
import { isSystemName, type EntityKey, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { etagOf } from "../../model/codec/row-layout.ts";
import { InitialValue } from "../../model/codec/initial-value.ts";
import { restoreStored, type Snapshot } from "../../model/codec/snapshot.ts";
import type { EntityModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import { partitionId } from "../../values/keys/key-rules.ts";
import { conditionOf, isMerge } from "../../storage/write-operation.ts";
import type { LostResponses, RowOfEntity } from "../unit-of-work/attempts-port.ts";
import { noMessages } from "../unit-of-work/outbox-message.ts";
import type { ChangeSet, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { type Attempt, isOver } from "./attempt.ts";

/**
 * The state of one attempt for one row.
 *
 * - `open`: the entity waits for it; it may have been applied, or may still arrive
 * - `closed`: it may have been applied, but can no longer arrive; a refusal of the same change doesn't prove that it
 *   was not
 * - `late`: no entity waits for it, but it may still arrive and overwrite a newer row
 */
export interface Lost {
  readonly attempt: Attempt;
  /** Its change of the row, through any instance of the entity. */
  readonly change: ChangeSet;
  readonly state: "open" | "closed" | "late";
  /** The entity accepted the stored row since then, so the outcome is reported but changes nothing. */
  readonly isEnded?: true;
  /** It also represents older, dropped attempts, even those with other requests. */
  readonly isOldest?: true;
}

/** A row with requests that lost their responses. */
export interface RowInDoubt extends RowOfEntity {
  lost: readonly Lost[];
  /** The entity that this context deleted, if the row has not been tracked since. */
  deleted: TrackedEntity | undefined;
}

/** The attempts of a context with lost responses, by row. */
export class Ledger implements LostResponses {
  readonly #rows = new Map<string, RowInDoubt>();

  /** Whether no response is lost. Most contexts never lose one. */
  isEmpty = true;

  isOpen(entry: RowOfEntity): boolean {
    return this.#lostOf(entry).some(({ state }) => state === "open");
  }

  hasWork(entry: RowOfEntity): boolean {
    return this.#lostOf(entry).some(({ state }) => state !== "closed");
  }

  mayBeStored(entity: RowOfEntity): boolean {
    return this.sentOf(entity).length > 0;
  }

  /** The attempts for an entity itself that may have been applied, in order of age. */
  sentOf(entity: RowOfEntity): readonly Lost[] {
    return this.#lostOf(entity).filter(({ state, change }) => state !== "late" && change.entry === entity);
  }

  /** The attempts that an entity waits for, in order of age. */
  open(entry: RowOfEntity): readonly Lost[] {
    return this.#lostOf(entry).filter(({ state }) => state === "open");
  }

  /**
   * The attempts that may have stored the same values as a change: open ones, and those that can no longer be decided.
   */
  attemptsOf(change: ChangeSet): readonly Lost[] {
    return this.#lostOf(change.entry).filter(
      (one) =>
        one.state !== "late" &&
        (asksForSame(one.change, change) || (one.isOldest === true && one.change.entry === change.entry)),
    );
  }

  /** The atomic group of a change's last request, while its outcome is not proved. */
  groupOf({ entry }: ChangeSet): Attempt | undefined {
    return this.#lostOf(entry).findLast(
      ({ state, attempt }) => state !== "late" && attempt.isAtomic === true && attempt.changes.length > 1,
    )?.attempt;
  }

  /** The changes of an attempt that may or may not be stored. */
  membersOf(attempt: Attempt): ChangeSet[] {
    return attempt.changes.filter(({ entry }) => {
      const state = this.stateOf(entry, attempt);
      return state === "open" || state === "closed";
    });
  }

  /** The state of an attempt for the row of one of its changes; undefined if no entity waits for it. */
  waiting(attempt: Attempt, { entry }: ChangeSet): Lost | undefined {
    return this.open(entry).find((one) => one.attempt === attempt);
  }

  /** The state of an attempt for the row of an entity; undefined if it is decided. */
  stateOf(entry: TrackedEntity, attempt: Attempt): Lost["state"] | undefined {
    return this.#lostOf(entry).find((one) => one.attempt === attempt)?.state;
  }

  /** The rows that an attempt may still overwrite, or store again. */
  rowsWithLate(): RowInDoubt[] {
    return [...this.#rows.values()].filter(({ lost, deleted }) =>
      lost.some(
        // A delayed insert is refused while the row exists.
        ({ state, change }) =>
          state === "late" && (change.operation.type !== "insert" || deleted !== undefined),
      ),
    );
  }

  /** Attempts for some rows that may still arrive. */
  unfinished(isMeant: (row: RowInDoubt) => boolean): Attempt[] {
    return [...this.#rows.values()]
      .filter(isMeant)
      .flatMap(({ lost }) => lost.flatMap(({ state, attempt }) => (state === "closed" ? [] : [attempt])));
  }

  /** Adds an attempt that lost its response, or that is now known to be able to overwrite a newer row. */
  add(attempt: Attempt, change: ChangeSet, state: Lost["state"]): void {
    const { entry } = change;
    const { model, key } = entry;
    // The program detached all entities while it was sent.
    if (entry.home === undefined) return;
    const id = idOf(model, key);
    const row = this.#rows.get(id) ?? { model, key, lost: [], deleted: undefined };
    this.#rows.set(id, row);
    this.isEmpty = false;
    if (!row.lost.some((one) => one.attempt === attempt))
      row.lost = [...row.lost, { attempt, change, state }];
    entry.home.work.add(entry);
  }

  /** Removes an attempt with a known outcome. */
  remove(attempt: Attempt): void {
    for (const { entry } of attempt.changes) this.drop(entry, attempt);
  }

  /** Records that an attempt can no longer arrive, so its outcome will stay unknown. */
  close(attempt: Attempt): void {
    const close = (one: Lost): Lost =>
      one.attempt === attempt && one.state === "open" ? { ...one, state: "closed" } : one;
    for (const { entry } of attempt.changes) {
      this.#change(entry, close);
      this.#dropOldClosed(entry);
    }
  }

  /**
   * One of several attempts with the same request is enough. This also limits memory in a program that continues
   * without responses.
   */
  #dropOldClosed(entry: TrackedEntity): void {
    const closed = this.#lostOf(entry).filter(({ state }) => state === "closed");
    const newest = closed.at(-1);
    if (newest === undefined || closed.length === 1) return;
    const old = closed.slice(0, -1);
    const others = old.filter((one) => one.isOldest === true || !asksForSame(one.change, newest.change));
    const [oldest, ...rest] = others.slice(-maxClosed);
    const isFull = others.length > maxClosed;
    this.#change(entry, (one) => {
      if (one === oldest) return isFull ? { ...one, isOldest: true } : one;
      return old.includes(one) && !rest.includes(one) ? undefined : one;
    });
  }

  /** Records that a row does not wait for an attempt any more. */
  drop(entry: TrackedEntity, attempt: Attempt): void {
    this.#change(entry, (one) => (one.attempt === attempt ? undefined : one));
  }

  /** Late attempts that were over before the row was read cannot overwrite anything. */
  dropLate(row: RowInDoubt, attempts: readonly Attempt[]): void {
    this.#set(
      row,
      row.lost.filter(({ state, attempt }) => state !== "late" || !attempts.includes(attempt)),
    );
  }

  /** Drops rows that no entity has and that no request can still overwrite. */
  dropGivenUp(isTracked: (row: RowInDoubt) => boolean): void {
    for (const row of this.#rows.values()) {
      if (row.deleted !== undefined) continue;
      const isGivenUp = !isTracked(row) && row.lost.every(({ attempt }) => isOver(attempt));
      // A delayed insert only matters once its row is deleted.
      const isVain = ({ state, change, attempt }: Lost): boolean =>
        state === "late" && change.operation.type === "insert" && isOver(attempt);
      this.#set(row, isGivenUp ? [] : row.lost.filter((one) => !isVain(one)));
    }
  }

  /**
   * A conditional change was applied, as its response shows. So other attempts under the same ETag were not applied,
   * and never will be, since a version does not come back. An insert under a free key may have been applied and its row
   * deleted.
   *
   * @returns the attempts that this disproves
   */
  disprovedBy({ entry, operation }: ChangeSet): Attempt[] {
    const etag = conditionOf(operation);
    if (etag === undefined || this.isEmpty) return [];
    return this.#lostOf(entry).flatMap(({ change, attempt }) =>
      conditionOf(change.operation) === etag ? [attempt] : [],
    );
  }

  /** Records that an entity's change is stored, so nothing about it is unknown. */
  stored(entry: TrackedEntity): void {
    this.#change(entry, asLate);
  }

  /** Records that an entity's row is deleted. A late attempt may store it again. */
  deleted(entry: TrackedEntity): void {
    const row = this.#rows.get(idOf(entry.model, entry.key));
    if (row !== undefined) row.deleted = entry;
  }

  /** An attempt remains possible while its condition holds. A marker proves more than any row. */
  reread(entry: RowOfEntity, row: StoredEntity | undefined): void {
    this.#change(entry, (one) => {
      if (one.state !== "open" || !isPossible(one, row)) return asLate(one);
      return one.attempt.marker === undefined || row === undefined ? one : { ...one, isEnded: true };
    });
  }

  giveUp(entry: RowOfEntity): void {
    // A delete is pending again after another entity took its key.
    this.#change(entry, (one) => (one.change.entry === entry ? asLate(one) : one));
    const row = this.#rows.get(idOf(entry.model, entry.key));
    if (row !== undefined) row.deleted = undefined;
  }

  giveUpAll(): void {
    for (const row of this.#rows.values()) {
      row.deleted = undefined;
      this.#set(
        row,
        row.lost.flatMap((one) => asLate(one) ?? []),
      );
    }
  }

  #lostOf({ model, key }: RowOfEntity): readonly Lost[] {
    return this.isEmpty ? none : (this.#rows.get(idOf(model, key))?.lost ?? none);
  }

  #change({ model, key }: RowOfEntity, change: (one: Lost) => Lost | undefined): void {
    const row = this.#rows.get(idOf(model, key));
    if (row !== undefined)
      this.#set(
        row,
        row.lost.flatMap((one) => change(one) ?? []),
      );
  }

  #set(row: RowInDoubt, lost: readonly Lost[]): void {
    row.lost = lost;
    if (lost.length > 0) return;
    this.#rows.delete(idOf(row.model, row.key));
    this.isEmpty = this.#rows.size === 0;
  }
}

const none: readonly Lost[] = [];

/** Limit of undecidable attempts for one row. The oldest represents all earlier ones. */
const maxClosed = 20;

const idOf = ({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): string =>
  `${partitionId(table, partitionKey)}\0${rowKey}`;

/**
 * An attempt that no entity waits for. Until it is over, it may overwrite a newer row, or store a deleted one again. A
 * conditional change can do neither, because of its ETag.
 */
const asLate = (one: Lost): Lost | undefined => {
  const { change, state } = one;
  if (state === "late") return one;
  // An attempt that is over may have arrived after a newer write, so its row is read once.
  return state === "open" && conditionOf(change.operation) === undefined
    ? { ...one, state: "late" }
    : undefined;
};

/**
 * Whether an attempt may still be applied to the row that was read. For an unconditional one, its owner has seen the
 * row.
 */
function isPossible({ attempt, change: { operation } }: Lost, row: StoredEntity | undefined): boolean {
  if (attempt.marker !== undefined) return true;
  if (isOver(attempt)) return false;
  if (operation.type === "insert") return row === undefined;
  const etag = conditionOf(operation);
  return etag !== undefined && row !== undefined && etag === etagOf(row);
}

/**
 * Whether two changes request the same from the program's view. Differences in ETag, in the sent part of the row and in
 * values refreshed since don't count.
 */
export function asksForSame(sent: ChangeSet, change: ChangeSet): boolean {
  if (sent.entry !== change.entry) return false;
  const { messages: sentMessages = noMessages } = sent;
  if (change.messages?.some((message) => !sentMessages.includes(message)) === true) return false;
  if (sent.after === undefined || change.after === undefined) return sent.after === change.after;
  const [stored, wanted] = [bothForms(sent.entry, sent.after), bothForms(change.entry, change.after)];
  const requested = [...requestedBy(sent, stored), ...requestedBy(change, wanted)];
  return requested.every((name) => hasSameProperty(stored, wanted, name));
}

/** A row under the names of its class, and under those of an older version whose form it keeps. */
const bothForms = ({ model, key }: ChangeSet["entry"], { stored, ...snapshot }: Snapshot): StoredEntity => ({
  ...stored,
  ...restoreStored(model, key, snapshot),
});

/** The properties that a change affects: those sent by a merge, those that differ from the known row, or all. */
function requestedBy({ operation, after, known, entry }: ChangeSet, wanted: StoredEntity): string[] {
  const sent = "entity" in operation && isMerge(operation) ? operation.entity : wanted;
  if (sent !== wanted || known === undefined || after === undefined)
    return Object.keys(sent).filter((name) => !isSystemName(name) && sent[name] !== undefined);
  const { model, key } = entry;
  const before = restoreStored(model, key, { values: known, undeclared: after.undeclared });
  // An initial value of the class is not an edit.
  const isEdited = ({ storedName }: PropertyModel, i: number): boolean =>
    !InitialValue.is(known[i]) && !hasSameProperty(before, wanted, storedName);
  return model.properties.filter(isEdited).map(({ storedName }) => storedName);
}
