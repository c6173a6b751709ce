import type { EntityKey } from "../edm/stored-entity.ts";
import { partitionId } from "../storage/partition-id.ts";
import type { EntityModel } from "../model/entity-model.ts";
import { type Owner, ownerOf, setOwner } from "../model/ownership.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** The tracked entities of one partition. */
interface Partition {
  readonly table: string;
  readonly partitionKey: string;
  readonly id: string;
  /** By RowKey; undefined while there are none. */
  rows: Map<string, TrackedEntity> | undefined;
}

/** One instance per table, PartitionKey and RowKey, added ones included; in the order they came. */
export class IdentityMap {
  /** One that is never dropped: without any, a major collection drops the hidden class, and the machine code that knows it. */
  // oxlint-disable-next-line no-unused-private-class-members -- see above
  static readonly #pinned = new IdentityMap().#lookingIn("", "");

  /** By partition, then by RowKey: no key text has to be joined for each entity. */
  readonly #byKey = new Map<string, Map<string, TrackedEntity>>();
  /** In the order they came, until one is taken out: then it is made anew when it is asked for. */
  #list: TrackedEntity[] | undefined = [];
  /** By instance, in the same order; made when one is asked for: who only reads and changes entities needs none. */
  #byEntity: Map<object, TrackedEntity> | undefined;
  /** Whether an entity was added whose class declares children: most contexts have none. */
  hasParents = false;
  #owner: Owner = { isOver: false };
  /** Made when an entity is added. */
  #self: WeakRef<Owner> | undefined;
  /** The partition that was asked for last. */
  #last: Partition | undefined;

  get size(): number {
    return this.#list?.length ?? this.#instances().size;
  }

  /**
   * Everything tracked, removed entities included, in the order it came. The list grows with what is added later; what is
   * taken out is taken out of the next list only.
   */
  values(): readonly TrackedEntity[] {
    return (this.#list ??= [...this.#instances().values()]);
  }

  /** Those whose classes declare children. */
  parents(): readonly TrackedEntity[] {
    return this.values().filter(({ model }) => model.children.length > 0);
  }

  ofEntity(entity: object): TrackedEntity | undefined {
    // Nobody's instance is none of these: who only adds new ones needs no map of them.
    if (this.#byEntity === undefined && ownerOf(entity) === undefined) return undefined;
    return this.#instances().get(entity);
  }

  ofKey({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): TrackedEntity | undefined {
    return this.#partition(table, partitionKey).rows?.get(rowKey);
  }

  /** Adds an entry; it becomes the one its key finds. */
  add(entry: TrackedEntity): void {
    // An entity that is known already keeps its place.
    if (this.ofEntity(entry.entity) !== undefined) this.#list = undefined;
    this.addRead(entry);
  }

  /** Adds the entry of an instance that was just made of its row. */
  addRead(entry: TrackedEntity): void {
    setOwner(entry.entity, (this.#self ??= new WeakRef(this.#owner)));
    this.#byEntity?.set(entry.entity, entry);
    this.#list?.push(entry);
    this.hasParents ||= entry.model.children.length > 0;
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
    this.#list = undefined;
  }

  clear(): void {
    this.#owner.isOver = true;
    this.#owner = { isOver: false };
    this.#self = undefined;
    this.#byEntity = undefined;
    this.#list = [];
    this.#byKey.clear();
    this.#last = undefined;
  }

  /** The same with the members that the first look gives it. */
  #lookingIn(table: string, partitionKey: string): this {
    this.#instances();
    this.#partition(table, partitionKey);
    return this;
  }

  #instances(): Map<object, TrackedEntity> {
    if (this.#byEntity !== undefined) return this.#byEntity;
    const byEntity = new Map<object, TrackedEntity>();
    for (const entry of this.#list ?? []) byEntity.set(entry.entity, entry);
    return (this.#byEntity = byEntity);
  }

  /** What is known of a partition: rows that follow each other are of the same one, most of the time. */
  #partition(table: string, partitionKey: string): Partition {
    const last = this.#last;
    if (last !== undefined && last.partitionKey === partitionKey && last.table === table) return last;
    const id = partitionId(table, partitionKey);
    return (this.#last = { table, partitionKey, id, rows: this.#byKey.get(id) });
  }
}
