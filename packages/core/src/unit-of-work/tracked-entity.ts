import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import type { EntityModel } from "../model/entity-model.ts";

/** How an upsert treats properties that the entity does not name: kept, or dropped. */
export type UpsertMode = "merge" | "replace";

/** What will be done with an entity, beside what comparison finds. */
export type Intent =
  | { readonly type: "none" }
  /** Insert; or, after the removal of another instance with this key, replace under the old ETag. */
  | { readonly type: "add"; readonly replaces?: string }
  | { readonly type: "upsert"; readonly mode: UpsertMode }
  | { readonly type: "remove" };

/** An entity as a context knows it. */
export interface TrackedEntity {
  readonly entity: object;
  readonly model: EntityModel;
  readonly key: EntityKey;
  /** Key parts as they were read or added; compared at save, since a key cannot change. */
  readonly keyValues: readonly unknown[];
  intent: Intent;
  /** The entity as last known to be stored; undefined until then. Never changed in place. */
  snapshot: StoredEntity | undefined;
  /** Whether the snapshot is the whole row, and not only what an upsert sent. */
  isComplete: boolean;
  /** The version last known to be stored. */
  etag: string | undefined;
  /** True while its change is on the way to the store. */
  isInFlight: boolean;
  /** Why the last save did not store it. */
  lastError: Error | undefined;
}

/** What an entity is to its context. */
export type EntityState = "added" | "unchanged" | "modified" | "deleted" | "upsert" | "detached";
