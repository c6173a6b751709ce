// The record of one tracked entity: its snapshot, ETag, intent and pending state. The identity map holds these
// records; the change tracker, saves and recovery read and change them. SQLAlchemy's counterpart is `InstanceState`
// in orm/state.py.

import { ConflictError } from "../../values/errors/conflict-error.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { KnownKey } from "../../model/codec/entity-codec.ts";
import { keyValuesOf } from "../../model/codec/decode-entity.ts";
import {
  factsOf,
  isStored,
  type Snapshot,
  type SnapshotFacts,
  type UndeclaredProperties,
  usualFacts,
} from "../../model/codec/snapshot.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityModel, IndexModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";
import type { ContextScope } from "../scope/context-scope.ts";
import type { LostResponses } from "./attempts-port.ts";
import { noMessages, type OutboxMessage } from "./outbox-message.ts";

/** How an upsert treats properties that the entity does not name: they stay, or are dropped. */
export type UpsertMode = "merge" | "replace";

/** The intended operation on an entity, in addition to edits that comparison finds. */
export type Intent =
  | { readonly type: "none" }
  /**
   * Insert; or, after a delete under this key, replace under the old ETag; with the undeclared properties of the row.
   */
  | { readonly type: "add"; readonly replaces?: string; readonly undeclared?: UndeclaredProperties }
  /** `isIdempotent`: no other writer uses the row, so the write may be sent again after its response was lost. */
  | { readonly type: "upsert"; readonly mode: UpsertMode; readonly isIdempotent?: boolean }
  | { readonly type: "remove" };

/** Shared by every entity that was only read. */
export const noIntent: Intent = { type: "none" };

/** A property that was edited here and, since it was read, changed in storage too. */
export interface PropertyConflict {
  readonly property: string;
  /** The value that was read, before both changes; undefined also if it was never read. */
  readonly base: unknown;
  /** The entity's value here. */
  readonly mine: unknown;
  /** The stored value. */
  readonly theirs: unknown;
}

/** The properties that `update()` requested to send: those it named, or all that are loaded and stored by then. */
export type ExplicitProperties = ReadonlySet<PropertyModel> | "all";

/** A pending change at the time when a save refused it. */
export interface RefusedChange {
  readonly intent: Intent;
  /** Of the snapshot. */
  readonly before: TrackedEntity["values"];
  readonly values: readonly unknown[];
}

/** A value that a save has assigned, and the one before it. */
interface FilledValue {
  readonly value: unknown;
  readonly before: unknown;
}

/**
 * Pending state that few entities have, left by saves, reads and `update()`. Never changed in place.
 *
 * Entities without pending state share one record, `noMarks`. As members of each entity, the same took 65 bytes more,
 * and comparing all entities took 1.1 to 1.8 times as long, by the order of the members: it mostly waits for memory
 * (`pnpm bench retained detect`). So each mark is an accessor, made in a loop, which replaces the record when the
 * mark changes.
 */
export interface Marks {
  /** True while its change is being sent. */
  isInFlight: boolean;
  /** A context with a scope tracks it without having read its row, and its key does not contain the scope. */
  isUnread: boolean;
  /** A query found a different stored version. */
  isStale: boolean;
  /** A query found a stored row under the key of an added entity. */
  existsInStorage: boolean;
  /** Properties to be sent whether they changed or not. */
  explicitlyModified: ExplicitProperties | undefined;
  /** Messages to send with its next change. */
  messages: readonly OutboxMessage[];
  conflicts: readonly PropertyConflict[];
  /** The values that a save has assigned and that are not stored yet. */
  saveFilled: ReadonlyMap<PropertyModel, FilledValue> | undefined;
  /** The deleted entity that had the key of this one. */
  replaced: TrackedEntity | undefined;
  /** A save was refused because another writer was first; a later error of another kind does not change that. */
  hasConflicted: boolean;
  /** Why the last save did not store it. */
  lastError: Error | undefined;
  refused: RefusedChange | undefined;
}

const noConflicts: readonly PropertyConflict[] = [];

/** Shared by all entities without pending state: most of them need only this reference. */
export const noMarks: Readonly<Marks> = {
  isInFlight: false,
  isUnread: false,
  isStale: false,
  existsInStorage: false,
  explicitlyModified: undefined,
  messages: noMessages,
  conflicts: noConflicts,
  saveFilled: undefined,
  replaced: undefined,
  hasConflicted: false,
  lastError: undefined,
  refused: undefined,
};

/** The record of an entity whose change is being sent, shared by most entities that are saved. */
const onlyInFlight: Readonly<Marks> = { ...noMarks, isInFlight: true };

const markNames = Object.keys(noMarks) as (keyof Marks)[];

/** State that a context shares among all of its entities. */
export interface Home {
  /** Entities with pending work, and some with finished work. */
  readonly work: Set<TrackedEntity>;
  /** The list that an entity is a member of. */
  readonly listOf?: (
    entity: object,
  ) => { readonly property: string; readonly parent: TrackedEntity } | undefined;
  readonly lost?: LostResponses | undefined;
  readonly scope?: ContextScope | undefined;
}

/** The marks of an entity are its accessors, too. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the class defines an accessor for each of them
export interface TrackedEntity extends Marks {}

/** The record of an entity in its context. */
export class TrackedEntity implements KnownKey {
  readonly entity: object;
  readonly model: EntityModel;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Parts of a key that are not its text, as read or added: compared at save, since a key cannot change. */
  readonly keyValues: readonly unknown[] | undefined;
  #intent: Intent;
  /** The values of its snapshot; undefined until it is known to be stored. Never changed in place. */
  values: readonly SnapshotValue[] | undefined;
  #facts: SnapshotFacts = usualFacts;
  /** The version last known to be stored; `*` for any. */
  etag: string | undefined;
  /** The revision of its last save: rows that were requested before it are older. */
  savedAt = 0;
  #marks: Readonly<Marks> = noMarks;
  /** The order of arrival in its context: earlier ones have smaller numbers. */
  order = 0;
  /** The shared state of its context; undefined while no context tracks it. */
  home: Home | undefined;

  static {
    for (const name of markNames)
      Object.defineProperty(this.prototype, name, {
        get(this: TrackedEntity) {
          return this.marks[name];
        },
        set(this: TrackedEntity, value: never) {
          if (this.marks[name] !== value) this.marks = marksWith(this.marks, name, value);
        },
      });
  }

  constructor(
    model: EntityModel,
    entity: object,
    { partitionKey, rowKey }: EntityKey,
    { intent = noIntent, snapshot, etag }: Partial<Pick<TrackedEntity, "intent" | "snapshot" | "etag">>,
  ) {
    this.entity = entity;
    this.model = model;
    this.partitionKey = partitionKey;
    this.rowKey = rowKey;
    this.keyValues = model.hasVerbatimKeys ? undefined : keyValuesOf(model, entity);
    this.#intent = intent;
    this.values = snapshot?.values;
    if (snapshot !== undefined) this.#facts = factsOf(snapshot);
    this.etag = etag;
  }

  get intent(): Intent {
    return this.#intent;
  }

  set intent(intent: Intent) {
    this.#intent = intent;
    if (intent !== noIntent) this.home?.work.add(this);
  }

  /** Each of its members is an accessor of the entity, too. */
  get marks(): Readonly<Marks> {
    return this.#marks;
  }

  set marks(marks: Readonly<Marks>) {
    this.#marks = marks;
    if (this.home !== undefined && isWork(marks)) this.home.work.add(this);
  }

  /** Whether a save has work for it or an outcome to find out, apart from edits that comparison finds. */
  get hasWork(): boolean {
    return (
      this.#intent !== noIntent ||
      this.values === undefined ||
      isWork(this.#marks) ||
      this.#lost?.hasWork(this) === true
    );
  }

  /**
   * The entity as last known to be stored; undefined until then. Created on request, since a context may track
   * thousands.
   */
  get snapshot(): Snapshot | undefined {
    const { values } = this;
    if (values === undefined) return undefined;
    const { undeclared, isComplete, age, stored } = this.#facts;
    const snapshot = { values, undeclared, isComplete, age };
    return stored === undefined ? snapshot : { ...snapshot, stored };
  }

  set snapshot(snapshot: Snapshot | undefined) {
    this.values = snapshot?.values;
    this.#facts = snapshot === undefined ? usualFacts : factsOf(snapshot);
    if (snapshot === undefined) this.home?.work.add(this);
  }

  get key(): EntityKey {
    return { partitionKey: this.partitionKey, rowKey: this.rowKey };
  }

  /** Whether a request may have stored a change of it, or may still store one. */
  get isInDoubt(): boolean {
    return this.#lost?.isOpen(this) === true;
  }

  /** Whether a change of it was sent and may be stored, even if nothing more can be found out about it. */
  get mayBeStored(): boolean {
    return this.#lost?.mayBeStored(this) === true;
  }

  get #lost(): LostResponses | undefined {
    const lost = this.home?.lost;
    return lost?.isEmpty === false ? lost : undefined;
  }

  /** It accepted its stored row, without its edits; `stored` is undefined if there is no row. */
  tookOver(stored: StoredEntity | undefined): void {
    this.home?.lost?.reread(this, stored);
  }

  /** Clears the pending state of former saves and reads: the entity matches its row, or the program's intent. */
  reset(): void {
    if (this.marks === noMarks) return;
    const { isInFlight, isUnread, explicitlyModified, messages, replaced } = this.marks;
    const marks = { ...noMarks, isUnread, explicitlyModified, messages, replaced };
    this.marks = marksWith(marks, "isInFlight", isInFlight);
  }
}

const isWork = (marks: Readonly<Marks>): boolean =>
  marks !== noMarks && (marks.explicitlyModified !== undefined || marks.messages.length > 0);

function marksWith<Name extends keyof Marks>(
  marks: Readonly<Marks>,
  name: Name,
  value: Marks[Name],
): Readonly<Marks> {
  if (name === "isInFlight" && (marks === noMarks || marks === onlyInFlight))
    return value === true ? onlyInFlight : noMarks;
  const changed = { ...marks, [name]: value };
  for (const each of markNames) {
    const mark = changed[each];
    if (mark !== noMarks[each] && !(Array.isArray(mark) && mark.length === 0)) return changed;
  }
  return noMarks;
}

/** A write of an index row that belongs to an entity's own row. It is sent in the same transaction, after it. */
export interface IndexRow {
  readonly index: IndexModel;
  readonly operation: WriteOperation;
  /** Whether the row of a unique index that is deleted is known to belong to the entity. */
  readonly isChecked?: boolean | undefined;
  /** The complete row, if `operation` merges: it is stored instead if no row exists. */
  readonly whole?: (() => StoredEntity) | undefined;
}

/** The pending operation of one entity. */
export interface ChangeSet {
  readonly entry: TrackedEntity;
  readonly operation: WriteOperation;
  /** The snapshot once the operation is committed; undefined for a delete. */
  readonly after: Snapshot | undefined;
  /** An upper bound of the size that is sent, as the service counts an entity. */
  readonly bytes: number;
  /** The values that were known of its row when it was made. */
  readonly known?: readonly SnapshotValue[] | undefined;
  /** The properties that `update()` requested to send. */
  readonly explicitlyModified?: ExplicitProperties;
  /** For an upsert: no other writer uses the row. */
  readonly isIdempotent?: boolean;
  /** Messages that are stored in the same transaction. */
  readonly messages?: readonly OutboxMessage[];
  /** Writes of the entity's rows in the indexes of its class. */
  readonly indexRows?: readonly IndexRow[];
  /** The requested write, if it had no condition: `operation` is the same write under the version that was read. */
  readonly unconditional?: WriteOperation;
}

/** The requested write, even if another one is sent instead of it. */
export const askedFor = ({ operation, unconditional }: ChangeSet): WriteOperation =>
  unconditional ?? operation;

/** Whether a class of the changes is declared with markers: classes of one table may differ. */
export const needsMarker = (changes: readonly ChangeSet[]): boolean =>
  changes.some(({ entry }) => entry.model.options.proof === "marker");

/** The state of an entity in its context. */
export type EntityState = "added" | "unchanged" | "modified" | "deleted" | "upsert" | "detached";

/** Whether the row is written without named properties, as by `touch()`. */
export const isTouch = (properties: ExplicitProperties | undefined): boolean =>
  properties !== undefined && properties !== "all" && properties.size === 0;

/** Records why a save did not store an entity. */
export function noteFailure(entry: TrackedEntity, error: Error): void {
  entry.lastError = error;
  entry.hasConflicted ||= ConflictError.is(error);
}

/** Whether `update()` named the property at this position of the model. */
export function isExplicitlyModified(
  { explicitlyModified, model, values }: TrackedEntity,
  i: number,
): boolean {
  if (explicitlyModified === "all") return isStored(values?.[i]);
  return explicitlyModified?.has(model.properties[i] as PropertyModel) === true;
}

/** The union of two requests. */
export function union(a: ExplicitProperties | undefined, b: ExplicitProperties): ExplicitProperties {
  if (a === undefined || a === b) return b;
  return a === "all" || b === "all" ? "all" : new Set([...a, ...b]);
}

/**
 * Properties that a save stores again with their stored values, so an earlier request under the same ETag cannot be
 * applied.
 */
export class RewrittenProperties extends Set<PropertyModel> {
  readonly isRewritten = true;

  static is(properties: ExplicitProperties | undefined): boolean {
    return properties !== undefined && "isRewritten" in Object(properties);
  }
}

/**
 * Whether a change only stores again the values that are stored already: equal values do not prove that this change
 * stored them.
 */
export const isRewrite = ({ explicitlyModified }: ChangeSet): boolean =>
  RewrittenProperties.is(explicitlyModified);
