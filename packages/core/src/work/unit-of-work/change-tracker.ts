// The tracker of one context: `TableContext` calls it for `add`, `remove`, `attach` and every loaded row. It records
// the program's intent for each entity; saves read these records through `pending-search.ts`. The model is the Unit
// of Work of Fowler's "Patterns of Enterprise Application Architecture" and SQLAlchemy's orm/unitofwork.py.

import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { mayBeOlder } from "../../model/codec/current-row.ts";
import { encodeLoaded } from "../../model/codec/encode-entity.ts";
import { keyOfEntity } from "../../model/codec/entity-key.ts";
import { notLoaded, type Snapshot } from "../../model/codec/snapshot.ts";
import { checkStorable } from "../../model/declaration/check-storable.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { modelOfEntity } from "../../model/declaration/model-registry.ts";
import type { LostResponses } from "./attempts-port.ts";
import { stateOf } from "./entity-state.ts";
import { IdentityMap } from "./identity-map.ts";
import { PendingSearch } from "./pending-search.ts";
import { refreshFromRow, restoreValues } from "./merge-row.ts";
import {
  checkETag,
  checkInsertTimes,
  duplicateKey,
  etagUnknown,
  inFlight,
  keyGenerated,
  namedProperties,
  notTracked,
  notCompleteToAdd,
  systemNames,
  trackedElsewhere,
  versionUnknown,
  wrongState,
} from "./state-errors.ts";
import { fillEntity, hasNewKey } from "../../model/codec/fill-entity.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { type EntityState, noIntent, TrackedEntity, type UpsertMode, union } from "./tracked-entity.ts";
import { type ContextScope, noScope } from "../scope/context-scope.ts";
import type { RemovedRows } from "./removed-rows.ts";
import { discardLists } from "./undo-lists.ts";
import { noMessages } from "./outbox-message.ts";

/**
 * The states of a context's entities, and the operations on them. Sends nothing: it only records the next save's work.
 */
export class ChangeTracker {
  readonly entities: IdentityMap;
  /** The undecided outcomes of lost responses to writes of its entities. */
  readonly #lost: LostResponses;
  /** Whether only properties named by `update()` are saved. */
  readonly isExplicit: boolean;
  /** The scope of its context. */
  readonly scope: ContextScope;
  /** Rows that it deleted, if there are any. */
  removed: RemovedRows | undefined;
  /** Counts known writes, so rows requested before a write are known to be older. */
  revision = 0;
  /** Saves that compared every entity. */
  fullSaves = 0;

  constructor(isExplicit: boolean, lost: LostResponses, scope: ContextScope = noScope) {
    this.isExplicit = isExplicit;
    this.scope = scope;
    this.#lost = lost;
    this.entities = new IdentityMap(lost, scope);
  }

  /** This tracker. @throws StateError `context.disposed` when the context was closed */
  open(): this {
    this.entities.checkOpen();
    return this;
  }

  /** @throws KeyError, or StateError `entity.duplicate-key`, `entity.wrong-state`, `entity.in-flight` */
  // A save assigns system values to entities that declare them: an entity that cannot be assigned to is refused here.
  add(entity: object): TrackedEntity {
    const tracked = this.entities.ofEntity(entity);
    if (tracked === undefined) return this.#addNew(entity, true);
    if (tracked.intent.type === "remove") this.#addBack(tracked);
    else if (tracked.intent.type !== "add") throw wrongState(tracked, this.stateOf(tracked), "add");
    return tracked;
  }

  #addNew(entity: object, isFilled: boolean): TrackedEntity {
    const model = this.#checkFree(entity, "add");
    if (isFilled) fillEntity(model, entity);
    const key = keyOfEntity(model, entity);
    checkAssignable(entity, model, key, "add()", systemNames);
    const replaced = this.entities.ofKey(model, key);
    if (replaced === undefined) {
      const added = new TrackedEntity(model, entity, key, { intent: { type: "add" } });
      this.entities.add(added);
      return added;
    }
    if (replaced.isInFlight) throw inFlight(replaced, "add");
    if (replaced.intent.type !== "remove") throw duplicateKey(model, key, replaced.model);
    // A new instance takes the key of a deleted one: one REPLACE under the old ETag instead of delete and insert.
    const { etag, snapshot } = replaced;
    if (etag === undefined && snapshot !== undefined) throw etagUnknown(replaced);
    const intent = { type: "add", ...(etag !== undefined && { replaces: etag }) } as const;
    const entry = new TrackedEntity(model, entity, key, { intent, etag });
    entry.isUnread = replaced.isUnread;
    entry.messages = replaced.messages;
    this.entities.addInPlaceOf(replaced, entry);
    return entry;
  }

  /**
   * Adds an entity again after its row was deleted, with the undeclared properties of that row. @throws StateError
   * `entity.not-loaded`
   */
  addAgain(entity: object, snapshot: Snapshot): void {
    const model = modelOfEntity(entity);
    const missing = model.properties
      .filter((_, i) => snapshot.values[i] === notLoaded)
      .map(({ name }) => name);
    if (missing.length > 0) throw notCompleteToAdd(model, keyOfEntity(model, entity), missing);
    const tracked = this.#addNew(entity, false);
    const { undeclared } = snapshot;
    if (undeclared !== undefined) tracked.intent = { type: "add", undeclared };
  }

  /** Undoes a delete: the row is replaced completely, or just stays if it was loaded only in part. */
  #addBack(tracked: TrackedEntity): void {
    if (tracked.isInFlight) throw inFlight(tracked, "add");
    const { etag, snapshot } = tracked;
    tracked.intent =
      snapshot?.isComplete === false
        ? noIntent
        : { type: "add", ...(etag !== undefined && { replaces: etag }) };
  }

  /** @throws KeyError, or StateError `entity.missing-etag`, `entity.duplicate-key`, `entity.wrong-state` */
  attach(entity: object, etag: string): void {
    const model = this.#checkDetached(entity, "attach");
    if (hasNewKey(model, entity)) throw keyGenerated(model);
    if (mayBeOlder(model)) throw versionUnknown(model, "attach");
    checkETag(model, etag, "attach(entity, etag)");
    const key = this.#freeKey(model, entity, "attach()");
    // Only existing values count as stored: the others are unknown.
    const values = encodeLoaded(model, entity).map((snapshotValue) => snapshotValue ?? notLoaded);
    const snapshot = { values, undeclared: undefined, isComplete: false, age: undefined };
    this.#addUnread(new TrackedEntity(model, entity, key, { snapshot, etag }));
  }

  /** @throws KeyError, or StateError `entity.duplicate-key`, `entity.wrong-state` */
  upsert(entity: object, mode: UpsertMode, isIdempotent: boolean): void {
    const model = this.#checkDetached(entity, "upsert");
    if (mode === "merge" && mayBeOlder(model)) throw versionUnknown(model, 'upsert(…, "merge")');
    if (mode === "merge") checkInsertTimes(model, entity);
    fillEntity(model, entity);
    const key = this.#freeKey(model, entity, "upsert()");
    this.#addUnread(
      new TrackedEntity(model, entity, key, { intent: { type: "upsert", mode, isIdempotent } }),
    );
  }

  /** @throws StateError `entity.not-tracked`, `entity.wrong-state`, `entity.unknown-property` */
  update(entity: object, names: readonly string[]): void {
    const tracked = this.tracked(entity, "update");
    if (tracked.intent.type === "remove") throw wrongState(tracked, "deleted", "update");
    const properties = names.flatMap((name) => namedProperties(tracked.model, name));
    // An entity that is sent completely needs no named properties, unless it was sent already.
    const hasLeft = tracked.isInFlight || tracked.isInDoubt || tracked.mayBeStored;
    if (tracked.intent.type !== "none" && !hasLeft) return;
    tracked.explicitlyModified =
      names.length === 0 ? "all" : union(tracked.explicitlyModified, new Set(properties));
  }

  /** Has the next save write an entity's row even if nothing changed. @throws StateError `entity.wrong-state` */
  touch(entity: object): void {
    const tracked = this.tracked(entity, "touch");
    if (tracked.intent.type === "remove") throw wrongState(tracked, "deleted", "touch");
    if (tracked.intent.type === "none")
      tracked.explicitlyModified = union(tracked.explicitlyModified, new Set());
  }

  /** @throws StateError `entity.not-tracked`, `entity.wrong-state` for an upsert */
  remove(entity: object): void {
    const tracked = this.tracked(entity, "remove");
    const { intent, isInFlight } = tracked;
    // A row in an unfinished or unknown write may turn out to be stored; then the next save deletes it.
    const mayBeStored = isInFlight || tracked.isInDoubt || tracked.mayBeStored;
    if (intent.type === "upsert" && !mayBeStored) throw wrongState(tracked, "upsert", "remove");
    const isOnlyAdded = intent.type === "add" && tracked.snapshot === undefined;
    if (isOnlyAdded && !mayBeStored) this.#untrack(tracked);
    else tracked.intent = { type: "remove" };
  }

  /**
   * Tracks the delete of an entity that was not read. @throws StateError `entity.duplicate-key`,
   * `entity.missing-etag`
   */
  removeByKey(model: EntityModel, entity: object, key: EntityKey, etag: string): void {
    checkETag(model, etag, "removeByKey(Class, key, etag)");
    const other = this.entities.ofKey(model, key);
    if (other !== undefined) throw duplicateKey(model, key, other.model);
    this.#addUnread(
      new TrackedEntity(checkStorable(model), entity, key, { intent: { type: "remove" }, etag }),
    );
  }

  /** @throws StateError `entity.in-flight` */
  detach(entity: object): boolean {
    const tracked = this.entities.ofEntity(entity);
    if (tracked === undefined) return false;
    if (tracked.isInFlight) throw inFlight(tracked, "detach");
    this.#untrack(tracked);
    return true;
  }

  /** @throws StateError `entity.not-tracked`, `entity.in-flight` */
  discard(entity: object): void {
    const tracked = this.tracked(entity, "discard");
    if (tracked.isInFlight) throw inFlight(tracked, "discard");
    if (tracked.snapshot === undefined) {
      discardLists(this, tracked);
      this.#untrack(tracked);
    } else {
      checkAssignable(entity, tracked.model, tracked.key, "discard()");
      discardLists(this, tracked);
      this.#undo(tracked);
    }
  }

  #undo(tracked: TrackedEntity): void {
    const mayBeOutdated = tracked.isStale || tracked.isInDoubt || tracked.hasConflicted;
    tracked.intent = noIntent;
    tracked.explicitlyModified = undefined;
    tracked.messages = noMessages;
    restoreValues(tracked);
    this.#lost.giveUp(tracked);
    tracked.reset();
    // The values that were read may be stale.
    tracked.isStale = mayBeOutdated;
  }

  /**
   * Takes over the row that was read for an entity: its stored values, or undefined if it no longer exists.
   *
   * @param keepsAttempts - whether its values are written over the row again, in which case earlier requests still
   *   count as attempts to write them
   */
  takeStored(tracked: TrackedEntity, row: StoredEntity | undefined, keepsAttempts = false): void {
    const isNew = tracked.snapshot === undefined && tracked.intent.type !== "remove";
    if (row !== undefined) {
      tracked.intent = noIntent;
      this.entities.endReplacement(tracked);
      if (!tracked.isInFlight) refreshFromRow(tracked, row, "overwriteChanges", { keepsAttempts });
    } else if (isNew) {
      // The row it would replace no longer exists either.
      if (tracked.intent.type === "add") tracked.intent = { type: "add" };
      tracked.etag = undefined;
      this.entities.endReplacement(tracked);
      tracked.reset();
    } else {
      tracked.tookOver(row);
      // Deleted after an insert that may still be applied: the delete is still pending.
      if (tracked.intent.type === "remove" && tracked.isInDoubt) tracked.reset();
      else this.#leave(tracked);
    }
  }

  /** Detaches all entities and drops their changes. */
  clear(): void {
    this.entities.clear();
    this.#lost.giveUpAll();
  }

  /** The state of an entity in its context; `modified` is found by comparing it with its snapshot. */
  stateOf(tracked: TrackedEntity): EntityState {
    return stateOf(tracked, this.isExplicit);
  }

  /** Entities with work for a save, in the order of their arrival. */
  pending(): TrackedEntity[] {
    return new PendingSearch(this).everything().map(({ entry }) => entry);
  }

  /** @throws StateError `entity.not-tracked` */
  tracked(entity: object, operation: string): TrackedEntity {
    const tracked = this.entities.ofEntity(entity);
    if (tracked !== undefined) return tracked;
    throw notTracked(modelOfEntity(entity), operation);
  }

  /** If the entity had taken the key of a deleted one, that delete becomes pending again. */
  #untrack(tracked: TrackedEntity): void {
    this.#leave(tracked);
    if (tracked.replaced !== undefined) this.entities.add(tracked.replaced);
  }

  #leave(tracked: TrackedEntity): void {
    this.#lost.giveUp(tracked);
    this.entities.delete(tracked);
  }

  /** Adds the entry of an entity that is written without being read, unless its key does not show its scope. */
  #addUnread(entry: TrackedEntity): void {
    entry.isUnread = this.scope.admit(entry.model, entry.entity);
    this.entities.add(entry);
  }

  #checkDetached(entity: object, operation: string): EntityModel {
    const tracked = this.entities.ofEntity(entity);
    if (tracked !== undefined) throw wrongState(tracked, this.stateOf(tracked), operation);
    return this.#checkFree(entity, operation);
  }

  /** @throws StateError `entity.tracked-elsewhere` */
  #checkFree(entity: object, operation: string): EntityModel {
    const model = checkStorable(modelOfEntity(entity));
    if (this.entities.isTrackedElsewhere(entity))
      throw trackedElsewhere(model, keyOfEntity(model, entity), operation);
    this.scope.admit(model, entity);
    return model;
  }

  #freeKey(model: EntityModel, entity: object, operation: string): EntityKey {
    const key = keyOfEntity(model, entity);
    const other = this.entities.ofKey(model, key);
    if (other !== undefined) throw duplicateKey(model, key, other.model);
    checkAssignable(entity, model, key, operation, systemNames);
    return key;
  }
}
