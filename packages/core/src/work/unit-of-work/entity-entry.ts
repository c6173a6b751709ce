import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { changesOf } from "./entity-state.ts";
import { notLoaded } from "../../model/codec/snapshot.ts";
import {
  type EntityState,
  isExplicitlyModified,
  type PropertyConflict,
  type TrackedEntity,
} from "./tracked-entity.ts";

/** What a context knows of one entity, as of now: each member is looked up when it is read. */
export class EntityEntry<Entity extends object = object> {
  readonly entity: Entity;
  readonly #tracker: ChangeTracker;

  /** @internal Use `context.entry(entity)`. */
  constructor(tracker: ChangeTracker, entity: Entity) {
    this.#tracker = tracker;
    this.entity = entity;
  }

  /** `detached` when the context does not track it; `modified` is found by comparing it with what was read. */
  get state(): EntityState {
    const tracked = this.#tracked;
    return tracked === undefined ? "detached" : this.#tracker.stateOf(tracked);
  }

  /** The key it is or will be stored under; undefined when it is detached. */
  get key(): EntityKey | undefined {
    return this.#tracked?.key;
  }

  /** The version it was read or saved with; `*` for any; undefined when it has none, or none is known. */
  get etag(): string | undefined {
    return this.#tracked?.etag;
  }

  /** A query saw another version in the store than this one: the next change would be refused. */
  get stale(): boolean {
    return this.#tracked?.isStale === true;
  }

  /** A query saw that the key of this added entity is taken: its insert would be refused. */
  get existsInStorage(): boolean {
    return this.#tracked?.existsInStorage === true;
  }

  /** An earlier save could not learn whether a change of it was stored. The next save finds out first. */
  get inDoubt(): boolean {
    return this.#tracked?.isInDoubt === true;
  }

  /** Why the last save did not store it. */
  get lastError(): Error | undefined {
    return this.#tracked?.lastError;
  }

  /** Properties that were edited here and changed in the store as well, as the last `preserveChanges` read found them. */
  get conflicts(): readonly PropertyConflict[] {
    return this.#tracked?.conflicts ?? [];
  }

  /** Properties whose value is not what is stored, by name. */
  get changedProperties(): readonly string[] {
    const tracked = this.#tracked;
    if (tracked === undefined) return [];
    const { assigned, cleared } = changesOf(tracked);
    return tracked.model.properties
      .filter((_, i) => assigned.includes(i) || cleared.includes(i) || isExplicitlyModified(tracked, i))
      .map((property) => property.name);
  }

  /** Stored properties that a projected read left out, by name. */
  get notLoaded(): readonly string[] {
    const tracked = this.#tracked;
    if (tracked?.snapshot === undefined) return [];
    const { values } = tracked.snapshot;
    return tracked.model.properties.filter((_, i) => values[i] === notLoaded).map(({ name }) => name);
  }

  get #tracked(): TrackedEntity | undefined {
    return this.#tracker.entities.ofEntity(this.entity);
  }
}
