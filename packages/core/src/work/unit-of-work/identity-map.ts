// The identity map of a context: one instance for each table, PartitionKey and RowKey. The change tracker, queries
// and saves look entities up here. The pattern is Identity Map of Fowler's "Patterns of Enterprise Application
// Architecture".

import { KindError } from "../../values/errors/kind-error.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { etagOf, keyOfStored } from "../../model/codec/row-layout.ts";
import type { LoadedProperties } from "../../model/codec/snapshot.ts";
import { mergeRow } from "./merge-row.ts";
import type { TrackingMergeOption } from "../../model/declaration/merge-option.ts";
import type { RemovedRows } from "./removed-rows.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { partitionId } from "../../values/keys/key-rules.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { type Owner, ownerOf, setOwner } from "../../model/declaration/ownership.ts";
import { closedContext, closedWhileReading } from "./state-errors.ts";
import { type Home, homeOf, TrackedEntity } from "./tracked-entity.ts";

/** The tracked entities of one partition. */
interface Partition {
  readonly table: string;
  readonly partitionKey: string;
  readonly id: string;
  /** By RowKey; undefined while there are none. */
  rows: Map<string, TrackedEntity> | undefined;
}

/** Entities that are added while a save of some entities is under way. */
interface Arrivals {
  readonly came: Set<TrackedEntity>;
  /** Instances that were tracked before, and left since. */
  readonly former: Set<object>;
}

/** Sorts entities of a context in place, in the order of their arrival. */
export const inOrder = (entries: TrackedEntity[]): TrackedEntity[] =>
  entries.sort((a, b) => a.order - b.order);

/** One instance per table, PartitionKey and RowKey, added ones included; in the order they came. */
export class IdentityMap {
  /** By partition, then by RowKey: no key text has to be joined for each entity. */
  readonly #byKey = new Map<string, Map<string, TrackedEntity>>();
  /** In the order of their arrival, until one is taken out: then the list is rebuilt when it is next requested. */
  #list: TrackedEntity[] | undefined = [];
  /**
   * By instance, in the same order; created on first use: a program that only reads and changes entities needs none.
   */
  #byEntity: Map<object, TrackedEntity> | undefined;
  /** Entities of classes that declare children. */
  readonly #parents = new Set<TrackedEntity>();
  /** Entries add themselves to `work`; `withWork` drops those that are done. */
  readonly #home: Home;
  /** How many entities ever came: the order of the last one. */
  #lastOrder = 0;
  #arrivals: Arrivals | undefined;
  #owner: Owner = { isOver: false };
  /** Made when an entity is added. */
  #self: WeakRef<Owner> | undefined;
  /** The partition that was looked up last. */
  #last: Partition | undefined;
  #isClosed = false;

  constructor(home: Home = homeOf()) {
    this.#home = home;
  }

  /** Closes the context: nothing is tracked after that. */
  close(): void {
    this.#isClosed = true;
  }

  /** @throws StateError `context.disposed` when the context was closed */
  checkOpen(): void {
    if (this.#isClosed) throw closedContext();
  }

  /** The same for rows that were being read when the context was closed. */
  checkStillOpen(): void {
    if (this.#isClosed) throw closedWhileReading();
  }

  get size(): number {
    return this.#list?.length ?? this.#instances().size;
  }

  /**
   * All tracked entities, deleted ones included, in the order of their arrival. The list grows as entities are added;
   * an entity that is taken out is missing from the next list only.
   */
  values(): readonly TrackedEntity[] {
    return (this.#list ??= [...this.#instances().values()]);
  }

  /** Entities of classes that declare children. */
  parents(): ReadonlySet<TrackedEntity> {
    return this.#parents;
  }

  /**
   * Entities with work for a save or outcomes to find out, besides any edits that comparison finds; in the order of
   * their arrival. Takes time in proportion to their number, not to everything tracked.
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
    // An instance without an owner is not tracked: a program that only adds new entities needs no map of them.
    if (this.#byEntity === undefined && ownerOf(entity) === undefined) return undefined;
    return this.#instances().get(entity);
  }

  ofKey({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): TrackedEntity | undefined {
    return this.#partition(table, partitionKey).rows?.get(rowKey);
  }

  /** Adds an entry; it becomes the one its key finds. */
  add(entry: TrackedEntity): void {
    // An entity that is known already keeps its position.
    const former = this.ofEntity(entry.entity);
    if (former !== undefined) {
      this.#list = undefined;
      this.#forget(former);
    }
    this.addRead(entry);
    if (former !== undefined) entry.order = former.order;
  }

  /** Adds the entry of an instance that was just made of its row. */
  addRead(entry: TrackedEntity): void {
    setOwner(entry.entity, (this.#self ??= new WeakRef(this.#owner)));
    this.#byEntity?.set(entry.entity, entry);
    this.#list?.push(entry);
    entry.order = ++this.#lastOrder;
    entry.home = this.#home;
    if (entry.hasWork) this.#home.work.add(entry);
    if (entry.model.children.length > 0) this.#parents.add(entry);
    if (this.#arrivals?.former.has(entry.entity) === false) this.#arrivals.came.add(entry);
    const found = this.#partition(entry.model.table, entry.partitionKey);
    if (found.rows === undefined) this.#byKey.set(found.id, (found.rows = new Map()));
    found.rows.set(entry.rowKey, entry);
  }

  /** Whether an instance is tracked by a living context with other entities than these. */
  isTrackedElsewhere(entity: object): boolean {
    const owner = ownerOf(entity)?.deref();
    return owner !== undefined && owner !== this.#owner && !owner.isOver;
  }

  delete(entry: TrackedEntity): void {
    this.#instances().delete(entry.entity);
    this.#forget(entry);
    if (this.#self !== undefined && ownerOf(entry.entity) === this.#self) setOwner(entry.entity, undefined);
    this.#list = undefined;
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
    const instances = this.#instances();
    instances.delete(entry.entity);
    instances.set(entry.entity, entry);
    entry.order = ++this.#lastOrder;
    this.#list = undefined;
  }

  clear(): void {
    // A save that is being prepared must not send them.
    for (const entry of this.values()) this.#forget(entry);
    this.#owner.isOver = true;
    this.#owner = { isOver: false };
    this.#self = undefined;
    this.#byEntity = undefined;
    this.#list = [];
    this.#byKey.clear();
    this.#last = undefined;
  }

  #forget(entry: TrackedEntity): void {
    entry.home?.work.delete(entry);
    entry.home = undefined;
    this.#parents.delete(entry);
    if (this.#arrivals?.came.delete(entry) === false) this.#arrivals.former.add(entry.entity);
  }

  #instances(): Map<object, TrackedEntity> {
    if (this.#byEntity !== undefined) return this.#byEntity;
    const byEntity = new Map<object, TrackedEntity>();
    for (const entry of this.#list ?? []) byEntity.set(entry.entity, entry);
    return (this.#byEntity = byEntity);
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
