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
   */
  get state(): EntityState {
    const tracked = this.#tracked;
    return tracked === undefined ? "detached" : this.#tracker.stateOf(tracked);
  }

  /** The key that the entity is or will be stored under; undefined if it is detached. */
  get key(): EntityKey | undefined {
    return this.#tracked?.key;
  }

  /**
   * The ETag that the entity was read or saved with; `*` for any version; undefined if it has none, or none is known.
   */
  get etag(): string | undefined {
    return this.#tracked?.etag;
  }

  /** True if a query read another version of the row: the next change would be refused. */
  get stale(): boolean {
    return this.#tracked?.isStale === true;
  }

  /** True if a query found the key of this added entity taken: its insert would be refused. */
  get existsInStorage(): boolean {
    return this.#tracked?.existsInStorage === true;
  }

  /**
   * True if an earlier save could not learn whether a change of this entity was stored. The next save finds out first.
   */
  get inDoubt(): boolean {
    return this.#tracked?.isInDoubt === true;
  }

  /** The reason why the last save did not store the entity. */
  get lastError(): Error | undefined {
    return this.#tracked?.lastError;
  }

  /** Properties that were changed both here and in storage, as found by the last read with `preserveChanges`. */
  get conflicts(): readonly PropertyConflict[] {
    return this.#tracked?.conflicts ?? [];
  }

  /** Names of the properties that differ from their stored values. */
  get changedProperties(): readonly string[] {
    const tracked = this.#tracked;
    if (tracked === undefined) return [];
    const { assigned, cleared } = changesOf(tracked);
    return tracked.model.properties
      .filter((_, i) => assigned.includes(i) || cleared.includes(i) || isExplicitlyModified(tracked, i))
      .map((property) => property.name);
  }

  /** Names of the stored properties that a projected read left out, and of owned lists that were not included. */
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
