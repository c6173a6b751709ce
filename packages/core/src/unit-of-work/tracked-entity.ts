import type { Clock } from "../storage/clock.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import type { KnownKey } from "../codec/entity-codec.ts";
import { keyValuesOf } from "../codec/decode-entity.ts";
import {
  factsOf,
  isStored,
  type Snapshot,
  type SnapshotFacts,
  type UndeclaredProperties,
  usualFacts,
} from "../codec/snapshot.ts";
import type { Kept } from "../edm/serializer.ts";
import type { EntityModel, IndexModel, PropertyModel } from "../model/entity-model.ts";
import type { WriteOperation } from "../storage/write-operation.ts";
import type { RemoveMissing } from "./save-result.ts";
import { type AnnouncedMessage, noMessages, type OutboxMessage } from "./outbox-message.ts";

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

/** What few entities have: what saves, reads and `update()` left to be decided. Never changed in place. */
interface Marks {
  /** True while its change is on the way to the store. */
  readonly isInFlight: boolean;
  /** A query saw another version than this one. */
  readonly isStale: boolean;
  /** A query saw that the key of an added entity is taken. */
  readonly existsInStorage: boolean;
  /** Whether an unconditional write may be sent again after one whose outcome is not known. */
  readonly isIdempotent: boolean;
  /** Properties to be sent whether they changed or not. */
  readonly explicitlyModified: ExplicitProperties | undefined;
  /** Messages that are to be sent with its next change. */
  readonly messages: readonly OutboxMessage[];
  readonly conflicts: readonly PropertyConflict[];
  /** Writes of this entity that were sent and may yet turn out to be stored. */
  readonly inDoubt: readonly InDoubtWrite[];
  /**
   * Upserts that are stored, or were overwritten, while an attempt of them may still arrive: without a condition, it would
   * overwrite whatever is stored by then.
   */
  readonly late: readonly InDoubtWrite[];
  /**
   * Writes of which it was not found out whether they were stored: what asks for the same as one of them is not rejected
   * either, until the entity is stored, or read without its edits.
   */
  readonly neverKnown: readonly InDoubtWrite[];
  /** The removed entity whose key this one takes. */
  readonly replaced: TrackedEntity | undefined;
  /** A save was refused because somebody else was first; a later error of another kind does not change that. */
  readonly hasConflicted: boolean;
  /** Why the last save did not store it. */
  readonly lastError: Error | undefined;
}

const noConflicts: readonly PropertyConflict[] = [];
const noWrites: readonly InDoubtWrite[] = [];

/** Shared by every entity of which there is nothing to decide: most of them take a reference for all of it. */
export const noMarks: Marks = {
  isInFlight: false,
  isStale: false,
  existsInStorage: false,
  isIdempotent: false,
  explicitlyModified: undefined,
  messages: noMessages,
  conflicts: noConflicts,
  inDoubt: noWrites,
  late: noWrites,
  neverKnown: noWrites,
  replaced: undefined,
  hasConflicted: false,
  lastError: undefined,
};

/** The same while its change is on the way, shared by most entities that are saved. */
const onlyInFlight: Marks = { ...noMarks, isInFlight: true };

const markNames = Object.keys(noMarks) as (keyof Marks)[];

const noModel = { hasVerbatimKeys: true } as EntityModel;

/** An entity as a context knows it. */
export class TrackedEntity implements KnownKey {
  /** One that is never dropped: without any, a major collection drops the hidden class, and the machine code that knows it. */
  // oxlint-disable-next-line no-unused-private-class-members -- see above
  static readonly #pinned = new TrackedEntity(noModel, {}, { partitionKey: "", rowKey: "" }, {});

  readonly entity: object;
  readonly model: EntityModel;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Parts of a key that are not its text, as they were read or added: compared at save, since a key cannot change. */
  readonly keyValues: readonly unknown[] | undefined;
  #intent: Intent;
  /** The values of its snapshot; undefined until it is known to be stored. Never changed in place. */
  values: readonly Kept[] | undefined;
  #facts: SnapshotFacts = usualFacts;
  /** The version last known to be stored; `*` for any. */
  etag: string | undefined;
  /** The revision of its last save: rows that were asked for before it are older. */
  savedAt = 0;
  #marks: Marks = noMarks;
  /** Among all that its context tracks: the smaller, the earlier it came. */
  order = 0;
  /** The index of entities with pending work of its context; undefined while none tracks it. */
  index: Set<TrackedEntity> | undefined;

  declare isInFlight: boolean;
  declare isStale: boolean;
  declare existsInStorage: boolean;
  declare isIdempotent: boolean;
  declare explicitlyModified: ExplicitProperties | undefined;
  declare messages: Marks["messages"];
  declare conflicts: Marks["conflicts"];
  declare inDoubt: Marks["inDoubt"];
  declare late: Marks["late"];
  declare neverKnown: Marks["neverKnown"];
  declare replaced: TrackedEntity | undefined;
  declare hasConflicted: boolean;
  declare lastError: Error | undefined;

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
    if (intent !== noIntent) this.index?.add(this);
  }

  /** Each of its members is one of the entity, too. */
  get marks(): Marks {
    return this.#marks;
  }

  set marks(marks: Marks) {
    this.#marks = marks;
    if (this.index !== undefined && isWork(marks)) this.index.add(this);
  }

  /** Whether a save has something to do for it, or to find out about it, whatever comparison finds. */
  get hasWork(): boolean {
    return this.#intent !== noIntent || this.values === undefined || isWork(this.#marks);
  }

  /** The entity as last known to be stored; undefined until then. Put together when it is asked for, since a context may track thousands. */
  get snapshot(): Snapshot | undefined {
    const { values } = this;
    if (values === undefined) return undefined;
    const { undeclared, isWhole, age } = this.#facts;
    return { values, undeclared, isWhole, age };
  }

  set snapshot(snapshot: Snapshot | undefined) {
    this.values = snapshot?.values;
    this.#facts = snapshot === undefined ? usualFacts : factsOf(snapshot);
    if (snapshot === undefined) this.index?.add(this);
  }

  get key(): EntityKey {
    return { partitionKey: this.partitionKey, rowKey: this.rowKey };
  }

  /**
   * Nothing of former saves and reads is left to decide: the entity stands as its row does, or as its owner wants it.
   *
   * @param inDoubt - the writes that are still in doubt
   */
  reset(inDoubt: readonly InDoubtWrite[] = noWrites): void {
    if (this.marks === noMarks) return;
    const { isInFlight, explicitlyModified, messages, late, replaced, isIdempotent } = this.marks;
    const kept = { isInFlight, explicitlyModified, messages, late, replaced, isIdempotent };
    this.marks = marksWith({ ...noMarks, ...kept }, "inDoubt", inDoubt);
  }
}

const isWork = (marks: Marks): boolean =>
  marks !== noMarks &&
  (marks.explicitlyModified !== undefined ||
    marks.inDoubt.length > 0 ||
    marks.late.length > 0 ||
    marks.messages.length > 0);

function marksWith<Name extends keyof Marks>(marks: Marks, name: Name, value: Marks[Name]): Marks {
  if (name === "isInFlight" && (marks === noMarks || marks === onlyInFlight))
    return value === true ? onlyInFlight : noMarks;
  const changed = { ...marks, [name]: value };
  for (const each of markNames) {
    const mark = changed[each];
    if (mark !== noMarks[each] && !(Array.isArray(mark) && mark.length === 0)) return changed;
  }
  return noMarks;
}

/** A write of a row that belongs to an entity's own: of an index. It is sent in the same transaction, behind it. */
export interface Companion {
  readonly index: IndexModel;
  readonly operation: WriteOperation;
  /** The whole row, where `operation` merges: what is stored in its place where there is none. */
  readonly whole?: (() => StoredEntity) | undefined;
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
  /** Messages that are stored in the same transaction. */
  readonly messages?: readonly OutboxMessage[];
  /** Writes of the entity's rows in the indexes of its class. */
  readonly companions?: readonly Companion[];
  /** The write that was asked for, where it had no condition: `operation` is it under the version that was read. */
  readonly unconditional?: WriteOperation;
}

/** The write that was asked for, whatever is sent in its place. */
export const askedFor = ({ operation, unconditional }: ChangeSet): WriteOperation =>
  unconditional ?? operation;

/** The changes of one transaction, or a single one. It may be sent several times, by one save or by several. */
export interface Write {
  readonly table: string;
  readonly changes: readonly ChangeSet[];
  /** The RowKey of its marker, in tables with `proof: "marker"`; of its first message, where it has any. */
  readonly marker?: string | undefined;
  /** The rows of its messages. */
  readonly outbox?: readonly AnnouncedMessage[] | undefined;
}

/**
 * A write that was sent and may have been stored, or may yet be. It stays in doubt until a later answer or read resolves
 * it.
 */
export interface InDoubtWrite extends Write {
  /** Its place among all that were left in doubt: the greater, the newer. */
  readonly serial: number;
  /** By the monotonic time of its clock: until then the service may still carry out a request that nobody waits for. */
  readonly lateUntil: number;
  /** By the same time, before its first request was sent. */
  readonly sentAt: number;
  /** The same moment by the clock's date: time goes on there while the machine sleeps. */
  readonly sentOn: number;
  /** The clock that measures them. */
  readonly clock: Clock;
  /** The store's own time before the request was sent, as far as it is known: what is older was not written by it. */
  readonly sentAfter: number | undefined;
  /** What its save said of removals whose row no longer exists. */
  readonly removeMissing?: RemoveMissing | undefined;
  /** The failure that left it in doubt. */
  readonly error: Error;
}

/** What an entity is to its context. */
export type EntityState = "added" | "unchanged" | "modified" | "deleted" | "upsert" | "detached";

/** Records why a save did not store an entity. */
export function noteFailure(entry: TrackedEntity, error: Error): void {
  entry.lastError = error;
  entry.hasConflicted ||= ConflictError.is(error);
}

/** Whether `update()` asked for the property at this position of the model. */
export function isExplicitlyModified(
  { explicitlyModified, model, values }: TrackedEntity,
  i: number,
): boolean {
  if (explicitlyModified === "all") return isStored(values?.[i]);
  return explicitlyModified?.has(model.properties[i] as PropertyModel) === true;
}

/** Both of what was asked to be sent. */
export function union(a: ExplicitProperties | undefined, b: ExplicitProperties): ExplicitProperties {
  if (a === undefined || a === b) return b;
  return a === "all" || b === "all" ? "all" : new Set([...a, ...b]);
}
