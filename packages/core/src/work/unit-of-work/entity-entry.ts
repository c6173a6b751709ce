import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { listsNotLoaded } from "./compare-lists.ts";
import { changesOf } from "./entity-state.ts";
import { memberNameOf } from "../../model/declaration/entity-model.ts";
import { notLoaded } from "../../model/codec/snapshot.ts";
import {
  type EntityState,
  isExplicitlyModified,
  type PropertyConflict,
  type TrackedEntity,
} from "./tracked-entity.ts";

/** The current state of one entity in a context. Each property is computed when you read it. */
export class EntityEntry<Entity extends object = object> {
  readonly entity: Entity;
  readonly #tracker: ChangeTracker;

  /** @internal Use `context.entry(entity)`. */
  constructor(tracker: ChangeTracker, entity: Entity) {
    this.#tracker = tracker;
    this.entity = entity;
  }

  /**
   * `detached` if the context does not track the entity. `modified` is found by comparing the entity with its stored
   * values.
   *
   * ```ts
   * context.remove(blog);
   * console.log(context.entry(blog).state); // → deleted
   * ```
   */
  get state(): EntityState {
    const tracked = this.#tracked;
    return tracked === undefined ? "detached" : this.#tracker.stateOf(tracked);
  }

  /**
   * The key that the entity is or will be stored under; undefined if it is detached.
   *
   * ```ts
   * console.log(context.entry(order).key); // → { partitionKey: 'acme', rowKey: '7' }
   * ```
   */
  get key(): EntityKey | undefined {
    return this.#tracked?.key;
  }

  /**
   * The ETag that the entity was read or saved with; `*` for any version; undefined if it has none, or none is known.
   *
   * ```ts
   * const { etag } = context.entry(blog);
   * await elsewhere((stored) => (stored.rating = 5));
   * await context.reload(blog);
   * console.log(context.entry(blog).etag === etag); // → false
   * ```
   */
  get etag(): string | undefined {
    return this.#tracked?.etag;
  }

  /**
   * True if a query read another version of the row: the next change would be refused.
   *
   * ```ts
   * await elsewhere((stored) => (stored.rating = 5));
   * await context.query(Blog).where({ channel }).toArray();
   * console.log(context.entry(blog).stale); // → true
   * ```
   */
  get stale(): boolean {
    return this.#tracked?.isStale === true;
  }

  /**
   * True if a query found the key of this added entity taken: its insert would be refused.
   *
   * ```ts
   * const own = new TableContext(storage);
   * const added = own.create(Blog, { channel, postedOn, text: "Mine" });
   * await own.query(Blog).where({ channel }).toArray();
   * console.log(own.entry(added).existsInStorage); // → true
   * ```
   */
  get existsInStorage(): boolean {
    return this.#tracked?.existsInStorage === true;
  }

  /**
   * True if an earlier save could not learn whether a change of this entity was stored. The next save finds out first.
   *
   * ```ts
   * if (context.entry(blog).inDoubt) await context.resolveInDoubt({ only: [blog] });
   * ```
   */
  get inDoubt(): boolean {
    return this.#tracked?.isInDoubt === true;
  }

  /**
   * The reason why the last save did not store the entity.
   *
   * ```ts
   * await elsewhere((stored) => (stored.rating = 5));
   * blog.text = "Mine";
   * await context.saveChanges().catch(() => undefined);
   * console.log(context.entry(blog).lastError instanceof ConflictError); // → true
   * ```
   */
  get lastError(): Error | undefined {
    return this.#tracked?.lastError;
  }

  /**
   * Properties that were changed both here and in storage, as found by the last read with `preserveChanges`.
   *
   * ```ts
   * await elsewhere((stored) => (stored.text = "Theirs"));
   * blog.text = "Mine";
   * await context.reload(blog, { mergeOption: "preserveChanges" });
   * console.log(context.entry(blog).conflicts.map(({ property }) => property)); // → [ 'text' ]
   * ```
   */
  get conflicts(): readonly PropertyConflict[] {
    return this.#tracked?.conflicts ?? [];
  }

  /**
   * Names of the properties that differ from their stored values.
   *
   * ```ts
   * blog.rating = 5;
   * console.log(context.entry(blog).changedProperties); // → [ 'rating' ]
   * ```
   */
  get changedProperties(): readonly string[] {
    const tracked = this.#tracked;
    if (tracked === undefined) return [];
    const { assigned, cleared } = changesOf(tracked);
    return tracked.model.properties
      .filter((_, i) => assigned.includes(i) || cleared.includes(i) || isExplicitlyModified(tracked, i))
      .map((property) => property.name);
  }

  /**
   * Names of the stored properties that a projected read left out, and of owned lists that were not included.
   *
   * ```ts
   * const own = new TableContext(storage);
   * const [part] = await own.query(Blog).where({ channel }).select("text").toArray();
   * console.log(part && own.entry(part).notLoaded); // → [ 'rating', 'author' ]
   * ```
   */
  get notLoaded(): readonly string[] {
    const tracked = this.#tracked;
    if (tracked?.snapshot === undefined) return [];
    const { values } = tracked.snapshot;
    return [
      ...new Set(tracked.model.properties.filter((_, i) => values[i] === notLoaded).map(memberNameOf)),
      ...listsNotLoaded(this.#tracker, tracked),
    ];
  }

  get #tracked(): TrackedEntity | undefined {
    return this.#tracker.entities.ofEntity(this.entity);
  }
}
