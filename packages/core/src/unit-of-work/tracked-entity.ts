import type { Clock } from "../storage/clock.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import type { EntityKey } from "../edm/stored-entity.ts";
import { keyValuesOf } from "../codec/decode-entity.ts";
import { notLoaded, type Snapshot, type UndeclaredProperties } from "../codec/snapshot.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import type { WriteOperation } from "../storage/write-operation.ts";

/** How an upsert treats properties that the entity does not name: they stay, or are dropped. */
export type UpsertMode = "merge" | "replace";

/** What will be done with an entity, beside what comparison finds. */
export type Intent =
  | { readonly type: "none" }
  /** Insert; or, after a removal under this key, replace under the old ETag; with what the row had beyond the class. */
  | { readonly type: "add"; readonly replaces?: string; readonly undeclared?: UndeclaredProperties }
  | { readonly type: "upsert"; readonly mode: UpsertMode }
  | { readonly type: "remove" };

/** Shared by every entity that was only read. */
export const noIntent: Intent = { type: "none" };

/** A property that was edited here and, since it was read, changed in the store too. */
export interface PropertyConflict {
  readonly property: string;
  /** The value as it was read, before both changes; undefined also where it was never read. */
  readonly base: unknown;
  /** The value the entity has here. */
  readonly mine: unknown;
  /** The value that is stored now. */
  readonly theirs: unknown;
}

/** What `update()` asked to be sent: properties it named, or all that are loaded and stored by then. */
export type ExplicitProperties = ReadonlySet<PropertyModel> | "all";

/** An entity as a context knows it. */
export interface TrackedEntity {
  readonly entity: object;
  readonly model: EntityModel;
  readonly key: EntityKey;
  /** Key parts as they were read or added; compared at save, since a key cannot change. */
  readonly keyValues: readonly unknown[];
  intent: Intent;
  /** The entity as last known to be stored; undefined until then. Never changed in place. */
  snapshot: Snapshot | undefined;
  /** The version last known to be stored; `*` for any. */
  etag: string | undefined;
  /** Which writes made a version of its row, in tables that keep their ids; of any other version they are not known. */
  writeHistory: { readonly etag: string; readonly ids: readonly string[] } | undefined;
  /** True while its change is on the way to the store. */
  isInFlight: boolean;
  /** A query saw another version than this one. */
  isStale: boolean;
  /** A query saw that the key of an added entity is taken. */
  existsInStorage: boolean;
  /** Whether an unconditional write may be sent again after one whose outcome is not known. */
  isIdempotent: boolean;
  /** The revision of its last save: rows that were asked for before it are older. */
  savedAt: number;
  /** Properties to be sent whether they changed or not. */
  explicitlyModified: ExplicitProperties | undefined;
  conflicts: readonly PropertyConflict[];
  /** Writes of this entity that were sent and may yet turn out to be stored. */
  inDoubt: readonly InDoubtWrite[];
  /**
   * Upserts that are stored, or were overwritten, while an attempt of them may still arrive: without a condition, it would
   * overwrite whatever is stored by then.
   */
  late: readonly InDoubtWrite[];
  /**
   * Writes of which nobody will ever know whether they were stored: what repeats one of them unaltered is not rejected
   * either, until the entity is read anew.
   */
  neverKnown: readonly InDoubtWrite[];
  /** The removed entity whose key this one takes. */
  replaced: TrackedEntity | undefined;
  /** A save was refused because somebody else was first; a later error of another kind does not change that. */
  hasConflicted: boolean;
  /** Why the last save did not store it. */
  lastError: Error | undefined;
}

/** The pending operation of one entity. */
export interface ChangeSet {
  readonly entry: TrackedEntity;
  readonly operation: WriteOperation;
  /** The snapshot once the operation is committed; undefined for a removal. */
  readonly after: Snapshot | undefined;
  /** At least the size of what is sent, as the service counts an entity. */
  readonly bytes: number;
  /** What `update()` asked to be sent. */
  readonly explicitlyModified?: ExplicitProperties;
}

/** The changes of one transaction, or a single one. It may be sent several times, by one save or by several. */
export interface Write {
  readonly table: string;
  readonly changes: readonly ChangeSet[];
  /** The RowKey of its marker, in tables with `proof: "marker"`. */
  readonly marker?: string | undefined;
  /** The same write, as an earlier save sent it: its outcome is in doubt. */
  readonly earlier?: InDoubtWrite | undefined;
}

/**
 * A write that was sent and may have been stored, or may yet be. It stays in doubt until a later answer or read resolves
 * it.
 */
export interface InDoubtWrite extends Write {
  /** By the monotonic time of its clock: until then the service may still carry out a request that nobody waits for. */
  readonly lateUntil: number;
  /** By the same time, before its first request was sent. */
  readonly sentAt: number;
  /** The clock that measures both. */
  readonly clock: Clock;
  /** The store's own time before the request was sent, as far as it is known: what is older was not written by it. */
  readonly sentAfter: number | undefined;
  /** The failure that left it in doubt. */
  readonly error: Error;
}

/** What an entity is to its context. */
export type EntityState = "added" | "unchanged" | "modified" | "deleted" | "upsert" | "detached";

const noConflicts: readonly PropertyConflict[] = [];
const noWrites: readonly InDoubtWrite[] = [];

/** Begins to track an entity. */
export function trackedEntity(
  model: EntityModel,
  entity: object,
  key: EntityKey,
  known: Partial<Pick<TrackedEntity, "intent" | "snapshot" | "etag" | "replaced" | "isIdempotent">>,
): TrackedEntity {
  // What every search for changes reads stands together.
  return {
    entity,
    model,
    intent: known.intent ?? noIntent,
    explicitlyModified: undefined,
    inDoubt: noWrites,
    late: noWrites,
    neverKnown: noWrites,
    snapshot: known.snapshot,
    keyValues: keyValuesOf(model, entity),
    key,
    etag: known.etag,
    writeHistory: undefined,
    isInFlight: false,
    isStale: false,
    existsInStorage: false,
    isIdempotent: known.isIdempotent === true,
    savedAt: 0,
    conflicts: noConflicts,
    replaced: known.replaced,
    hasConflicted: false,
    lastError: undefined,
  };
}

/**
 * What an entity has once nothing of former saves and reads is left to decide: it stands as its row does, or as its owner
 * wants it. Assigned to the entity, with the writes that are still in doubt, if there are any.
 */
export const noFlags: Pick<
  TrackedEntity,
  "isStale" | "existsInStorage" | "conflicts" | "inDoubt" | "neverKnown" | "hasConflicted" | "lastError"
> = {
  isStale: false,
  existsInStorage: false,
  conflicts: noConflicts,
  inDoubt: noWrites,
  neverKnown: noWrites,
  hasConflicted: false,
  lastError: undefined,
};

/** Records why a save did not store an entity. */
export function noteFailure(entry: TrackedEntity, error: Error): void {
  entry.lastError = error;
  entry.hasConflicted ||= error instanceof ConflictError;
}

/** Whether `update()` asked for the property at this position of the model. */
export function isExplicitlyModified(
  { explicitlyModified, model, snapshot }: TrackedEntity,
  i: number,
): boolean {
  const snapshotValue = snapshot?.values[i];
  if (explicitlyModified === "all") return snapshotValue !== undefined && snapshotValue !== notLoaded;
  return explicitlyModified?.has(model.properties[i] as PropertyModel) === true;
}

/** Both of what was asked to be sent. */
export function union(a: ExplicitProperties | undefined, b: ExplicitProperties): ExplicitProperties {
  if (a === undefined || a === b) return b;
  return a === "all" || b === "all" ? "all" : new Set([...a, ...b]);
}
