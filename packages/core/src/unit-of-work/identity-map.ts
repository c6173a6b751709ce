import type { EntityKey } from "../edm/stored-entity.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** One instance per table, PartitionKey and RowKey, added ones included; in the order they came. */
export class IdentityMap {
  readonly #byKey = new Map<string, TrackedEntity>();
  readonly #byEntity = new Map<object, TrackedEntity>();

  get size(): number {
    return this.#byEntity.size;
  }

  /** Everything tracked, removed entities included, in the order it came. */
  values(): IterableIterator<TrackedEntity> {
    return this.#byEntity.values();
  }

  ofEntity(entity: object): TrackedEntity | undefined {
    return this.#byEntity.get(entity);
  }

  ofKey(table: string, key: EntityKey): TrackedEntity | undefined {
    return this.#byKey.get(identity(table, key));
  }

  /** Adds an entry; it becomes the one its key finds. */
  add(entry: TrackedEntity): void {
    this.#byEntity.set(entry.entity, entry);
    this.#byKey.set(identity(entry.model.table, entry.key), entry);
  }

  delete(entry: TrackedEntity): void {
    this.#byEntity.delete(entry.entity);
    const id = identity(entry.model.table, entry.key);
    // Another instance may have taken the key over.
    if (this.#byKey.get(id) === entry) this.#byKey.delete(id);
  }

  clear(): void {
    this.#byEntity.clear();
    this.#byKey.clear();
  }
}

/** Table names ignore case; control characters are illegal in keys, so NUL separates safely. */
const identity = (table: string, { partitionKey, rowKey }: EntityKey): string =>
  `${table.toLowerCase()}\0${partitionKey}\0${rowKey}`;
