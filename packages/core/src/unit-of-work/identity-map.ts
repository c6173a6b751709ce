import type { EntityKey } from "../edm/stored-entity.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** Which context's entities an instance was added to last; this does not hold the map itself in memory. */
const owners = new WeakMap<object, WeakRef<IdentityMap>>();

/** Whether an instance is tracked by a living context with other entities than these. */
export function isTrackedElsewhere(entity: object, own: IdentityMap): boolean {
  const owner = owners.get(entity)?.deref();
  return owner !== undefined && owner !== own && owner.ofEntity(entity) !== undefined;
}

/** One instance per table, PartitionKey and RowKey, added ones included; in the order they came. */
export class IdentityMap {
  /** By partition, then by RowKey: no key text has to be joined for each entity. */
  readonly #byKey = new Map<string, Map<string, TrackedEntity>>();
  readonly #byEntity = new Map<object, TrackedEntity>();
  /** The same as a list, over which a loop takes a tenth of the time; made when it is asked for, and only added to. */
  #list: TrackedEntity[] | undefined;
  /** Whether an entity was added whose class declares children: most contexts have none. */
  hasParents = false;
  readonly #self = new WeakRef(this);

  get size(): number {
    return this.#byEntity.size;
  }

  /**
   * Everything tracked, removed entities included, in the order it came. The list grows with what is added later; what is
   * taken out is taken out of the next list only.
   */
  values(): readonly TrackedEntity[] {
    return (this.#list ??= [...this.#byEntity.values()]);
  }

  /** Those whose classes declare children. */
  parents(): readonly TrackedEntity[] {
    return this.values().filter(({ model }) => model.children.length > 0);
  }

  ofEntity(entity: object): TrackedEntity | undefined {
    return this.#byEntity.get(entity);
  }

  ofKey({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): TrackedEntity | undefined {
    return this.#byKey.get(partition(table, partitionKey))?.get(rowKey);
  }

  /** Adds an entry; it becomes the one its key finds. */
  add(entry: TrackedEntity): void {
    const { size } = this.#byEntity;
    this.#byEntity.set(entry.entity, entry);
    // An entity that is known already keeps its place.
    if (this.#byEntity.size > size) this.#list?.push(entry);
    else this.#list = undefined;
    owners.set(entry.entity, this.#self);
    this.hasParents ||= entry.model.children.length > 0;
    const id = partition(entry.model.table, entry.key.partitionKey);
    const rows = this.#byKey.get(id);
    if (rows === undefined) this.#byKey.set(id, new Map([[entry.key.rowKey, entry]]));
    else rows.set(entry.key.rowKey, entry);
  }

  delete(entry: TrackedEntity): void {
    this.#byEntity.delete(entry.entity);
    this.#list = undefined;
    const id = partition(entry.model.table, entry.key.partitionKey);
    const rows = this.#byKey.get(id);
    // Another instance may have taken the key over.
    if (rows?.get(entry.key.rowKey) !== entry) return;
    rows.delete(entry.key.rowKey);
    if (rows.size === 0) this.#byKey.delete(id);
  }

  /** Makes an entry the last one to be saved. */
  moveToEnd(entry: TrackedEntity): void {
    this.#byEntity.delete(entry.entity);
    this.#byEntity.set(entry.entity, entry);
    this.#list = undefined;
  }

  clear(): void {
    this.#byEntity.clear();
    this.#list = undefined;
    this.#byKey.clear();
  }
}

/** Table names ignore case; control characters are illegal in keys, so NUL separates safely. */
const partition = (table: string, partitionKey: string): string => `${table.toLowerCase()}\0${partitionKey}`;
