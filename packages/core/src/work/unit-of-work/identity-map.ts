// The identity map of a context: one instance for each table, PartitionKey and RowKey. The change tracker, queries
// and saves look entities up here. The pattern is Identity Map of Fowler's "Patterns of Enterprise Application
// Architecture".

import { KindError } from "../../values/errors/kind-error.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { etagOf, keyOfStored } from "../../model/codec/row-layout.ts";
import type { LoadedProperties } from "../../model/codec/snapshot.ts";
import type { LostResponses } from "./attempts-port.ts";
import { mergeRow } from "./merge-row.ts";
import type { TrackingMergeOption } from "../../model/declaration/merge-option.ts";
import { OwnedLists } from "./owned-lists.ts";
import type { ContextScope } from "../scope/context-scope.ts";
import type { RemovedRows } from "./removed-rows.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { partitionId } from "../../values/keys/key-rules.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { ownerOf, setOwner } from "../../model/declaration/ownership.ts";
import { closedContext, closedWhileReading } from "./state-errors.ts";
import { type Home, TrackedEntity } from "./tracked-entity.ts";

/** The tracked entities of one partition. */
interface Partition {
  readonly table: string;
  readonly partitionKey: string;
  readonly id: string;
  /** By RowKey; undefined while there are none. */
  rows: Map<string, TrackedEntity> | undefined;
}

/** Entities that are added while a save of a list of entities is running. */
interface Arrivals {
  readonly came: Set<TrackedEntity>;
  /** Instances that were tracked before, but not any more. */
  readonly former: Set<object>;
}

/** Sorts entities of a context in place, in the order of their arrival. */
export const inOrder = (entries: TrackedEntity[]): TrackedEntity[] =>
  entries.sort((a, b) => a.order - b.order);

/** One instance per table, PartitionKey and RowKey, including added ones, in the order of their arrival. */
export class IdentityMap {
  /** By partition, then by RowKey, so no key text has to be joined for each entity. */
  readonly #byKey = new Map<string, Map<string, TrackedEntity>>();
  /** In the order of their arrival. After one is removed or moved, the list is corrected on the next request. */
  #list: TrackedEntity[] = [];
  #isListOutdated = false;
  #size = 0;
  /** Entities of classes that declare children. */
  readonly #parents = new Set<TrackedEntity>();
  /** Made when an entity owns a list. */
  #lists: OwnedLists | undefined;
  /** Entries add themselves to `work`; `withWork` drops those that are done. */
  readonly #home: Home;
  /** The number of entities that were ever added: the order of the last one. */
  #lastOrder = 0;
  #arrivals: Arrivals | undefined;
  /** The partition that was looked up last. */
  #last: Partition | undefined;
  #isClosed = false;

  constructor(lost?: LostResponses, scope?: ContextScope) {
    this.#home = { work: new Set(), lost, scope, listOf: (entity) => this.#lists?.ofMember(entity) };
  }

  /** Closes the context: nothing can be tracked after that. */
  close(): void {
    this.#isClosed = true;
  }

  /** @throws StateError `context.disposed` when the context was closed */
  checkOpen(): void {
    if (this.#isClosed) throw closedContext();
  }

  /** The same check for rows that were being read when the context was closed. */
  checkStillOpen(): void {
    if (this.#isClosed) throw closedWhileReading();
  }

  get size(): number {
    return this.#size;
  }

  /**
   * All tracked entities, deleted ones included, in the order of their arrival. The list grows as entities are added;
   * an entity that is taken out is missing from the next list only.
   */
  values(): readonly TrackedEntity[] {
    if (!this.#isListOutdated) return this.#list;
    const tracked = this.#list.filter(({ home }) => home === this.#home);
    this.#isListOutdated = false;
    return (this.#list = inOrder([...new Set(tracked)]));
  }

  /** The lists that these entities own. */
  get lists(): OwnedLists {
    return (this.#lists ??= new OwnedLists());
  }

  /** Whether any list is known. */
  get hasLists(): boolean {
    return this.#lists !== undefined && !this.#lists.isEmpty;
  }

  /** Entities of classes that declare children. */
  parents(): ReadonlySet<TrackedEntity> {
    return this.#parents;
  }

  /**
   * Entities with work for a save or unknown outcomes, except edits that comparison finds; in the order of their
   * arrival. Takes time in proportion to their number, not to all tracked entities.
   */
  withWork(): TrackedEntity[] {
    const found: TrackedEntity[] = [];
    const { work } = this.#home;
    for (const entry of work)
      if (entry.hasWork) found.push(entry);
      else work.delete(entry);
    return inOrder(found);
  }

  /**
   * Collects entities that arrive from now on, until `ignoreArrivals`. Instances that were tracked before do not
   * count.
   */
  collectArrivals(): ReadonlySet<TrackedEntity> {
    this.#arrivals = { came: new Set(), former: new Set() };
    return this.#arrivals.came;
  }

  ignoreArrivals(): void {
    this.#arrivals = undefined;
  }

  ofEntity(entity: object): TrackedEntity | undefined {
    const owner = ownerOf(entity) as TrackedEntity | undefined;
    return owner?.home === this.#home ? owner : undefined;
  }

  ofKey({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): TrackedEntity | undefined {
    return this.#partition(table, partitionKey).rows?.get(rowKey);
  }

  /** Adds an entry; it becomes the one its key finds. */
  add(entry: TrackedEntity): void {
    // An entity that is already known keeps its position.
    const former = this.ofEntity(entry.entity);
    if (former !== undefined) this.#forgetWithLists(former);
    this.addRead(entry);
    if (former !== undefined) entry.order = former.order;
  }

  /** Adds the entry of an instance that was just made from its row. */
  addRead(entry: TrackedEntity): void {
    setOwner(entry.entity, entry);
    // A program that never requests the list must not fill it with entities that were taken out.
    if (this.#list.length > 2 * this.#size + 1000) this.values();
    this.#list.push(entry);
    this.#size++;
    entry.order = ++this.#lastOrder;
    entry.home = this.#home;
    if (entry.hasWork) this.#home.work.add(entry);
    if (entry.model.children.length > 0) this.#parents.add(entry);
    if (this.#arrivals?.former.has(entry.entity) === false) this.#arrivals.came.add(entry);
    const found = this.#partition(entry.model.table, entry.partitionKey);
    if (found.rows === undefined) this.#byKey.set(found.id, (found.rows = new Map()));
    found.rows.set(entry.rowKey, entry);
  }

  /** Whether an instance is tracked by another context. */
  isTrackedElsewhere(entity: object): boolean {
    return (ownerOf(entity)?.home ?? this.#home) !== this.#home;
  }

  delete(entry: TrackedEntity): void {
    this.#forgetWithLists(entry);
    this.#freeKey(entry);
  }

  /** Adds an entry with the key of a deleted one. If this entry is detached, the deleted one returns with its lists. */
  addInPlaceOf(replaced: TrackedEntity, entry: TrackedEntity): void {
    this.#forget(replaced);
    this.#freeKey(replaced);
    entry.replaced = replaced;
    this.add(entry);
  }

  /** The replaced entity cannot return any more. */
  endReplacement(entry: TrackedEntity): void {
    const { replaced } = entry;
    if (replaced === undefined) return;
    this.#lists?.forget(replaced);
    entry.replaced = undefined;
  }

  #freeKey(entry: TrackedEntity): void {
    const found = this.#partition(entry.model.table, entry.partitionKey);
    // Another instance may have taken the key over.
    if (found.rows?.get(entry.rowKey) !== entry) return;
    found.rows.delete(entry.rowKey);
    if (found.rows.size > 0) return;
    this.#byKey.delete(found.id);
    found.rows = undefined;
  }

  /** Makes an entry the last one to be saved. */
  moveToEnd(entry: TrackedEntity): void {
    entry.order = ++this.#lastOrder;
    this.#isListOutdated = true;
  }

  clear(): void {
    // A save that is being prepared must not send them.
    for (const entry of this.values()) this.#forget(entry);
    this.#list = [];
    this.#lists?.clear();
    this.#byKey.clear();
    this.#last = undefined;
  }

  #forgetWithLists(entry: TrackedEntity): void {
    this.#forget(entry);
    this.#lists?.forget(entry);
  }

  #forget(entry: TrackedEntity): void {
    if (entry.home === undefined) return;
    if (ownerOf(entry.entity) === entry) setOwner(entry.entity, undefined);
    entry.home.work.delete(entry);
    entry.home = undefined;
    this.#size--;
    this.#isListOutdated = true;
    this.#parents.delete(entry);
    if (this.#arrivals?.came.delete(entry) === false) this.#arrivals.former.add(entry.entity);
  }

  /** The known entities of a partition: consecutive rows are mostly of the same one. */
  #partition(table: string, partitionKey: string): Partition {
    const last = this.#last;
    if (last !== undefined && last.partitionKey === partitionKey && last.table === table) return last;
    const id = partitionId(table, partitionKey);
    return (this.#last = { table, partitionKey, id, rows: this.#byKey.get(id) });
  }
}

/** How a row is merged into a context. */
export interface Meeting {
  readonly option: TrackingMergeOption;
  /** The `revision` when the row was requested. */
  readonly readAt: number;
  /** The selected properties; all of them when undefined. */
  readonly loaded?: LoadedProperties;
  /** Called with an entity that the context did not have. */
  readonly onNew?: ((entity: object) => void) | undefined;
}

/**
 * The entity of a row: the tracked one, merged according to `option`, or a new one; undefined for a row that was
 * deleted since.
 *
 * @throws KindError `kind.mismatch` when the key is tracked as another class
 */
export function takeRow(
  { entities, removed }: { readonly entities: IdentityMap; readonly removed: RemovedRows | undefined },
  taken: CheckedRow,
  { option, readAt, loaded, onNew }: Meeting,
): object | undefined {
  const { model, scanned } = taken;
  const key = scanned ?? keyOfStored(taken.row);
  const tracked = entities.ofKey(model, key);
  if (tracked !== undefined) {
    if (tracked.model !== model)
      throw KindError.mismatch(subjectOf(model, key), model.name, tracked.model.name);
    // A row that was requested before the entity was saved has an older version.
    if (readAt >= tracked.savedAt) mergeRow(tracked, taken.row, option, loaded);
    return tracked.entity;
  }
  if (removed?.hasSince(model, key, readAt) === true) return undefined;
  const { entity, snapshot } = scanned ?? decodeEntity(model, taken.row, loaded);
  const etag = scanned === undefined ? etagOf(taken.row) : scanned.etag;
  const entry = new TrackedEntity(model, entity, key, { snapshot, etag });
  entities.addRead(entry);
  onNew?.(entity);
  return entity;
}
