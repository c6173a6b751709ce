import { stubOf } from "../../model/codec/decode-entity.ts";
import { checkKeyValues, checkValues, keyOfEntity } from "../../model/codec/entity-key.ts";
import { markCopy, sharedSymbol } from "../../values/errors/brand.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { checkCopy } from "../../values/errors/second-copy.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { oneOf, trueOrFalse } from "../../values/options/checks.ts";
import { checkArgument, type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import type { NewOf, KeyOf } from "../../model/declaration/entity-shape.ts";
import { modelOf } from "../../model/declaration/model-registry.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { EntityEntry } from "../unit-of-work/entity-entry.ts";
import { type PendingChange, pendingChanges } from "../unit-of-work/pending-changes.ts";
import { inFlight } from "../unit-of-work/state-errors.ts";
import { maxTransactionOperations } from "../../storage/limits.ts";
import type { OutboxMessage } from "../unit-of-work/outbox-message.ts";
import type { UpsertMode } from "../unit-of-work/tracked-entity.ts";

const checkUpsertOptions: CheckOptions = defineOptions<{ readonly idempotent?: boolean | undefined }>(
  "upsert(entity, mode, options)",
  { idempotent: trueOrFalse },
);
const checkClearOptions: CheckOptions = defineOptions<{ readonly discard?: boolean | undefined }>(
  "clear(options)",
  {
    discard: trueOrFalse,
  },
);

/**
 * Sends a message with the next change of an entity: its row is stored in the same transaction, or not at all. An entity that
 * is not changed gets a new ETag with it. What takes the change back takes the message back: `discard`, `detach`, and
 * reading the entity anew over its edits.
 *
 * @throws StateError `entity.not-tracked`, `outbox.too-many-messages`; ModelError `outbox.not-declared` for a table without `outbox: true`
 */
export function sendWith(context: EntityChanges, entity: object, message: OutboxMessage): void {
  checkCopy(context, "The context");
  const { [sendKey]: send } = context as unknown as Readonly<Record<symbol, unknown>>;
  (send as typeof sendWith)(context, entity, message);
}

/** Where contexts of every copy of this package have what sends their messages: a function as `sendWith` is. */
export const sendKey: symbol = sharedSymbol("send");

/** The part of a context that records what the next save is to do. Nothing here sends a request. */
export abstract class EntityChanges {
  readonly #tracker: ChangeTracker;

  static {
    markCopy(this.prototype);
    const value: typeof sendWith = (context, entity, message) => context.#send(entity, message);
    Object.defineProperty(this.prototype, sendKey, { value });
  }

  /** @internal */
  constructor(tracker: ChangeTracker) {
    this.#tracker = tracker;
  }

  #send(entity: object, message: OutboxMessage): void {
    this.#tracker.entities.checkOpen();
    const tracked = this.#tracker.tracked(entity, "send");
    const { options, name, table } = tracked.model;
    if (!options.outbox)
      throw new ModelError(
        "outbox.not-declared",
        `${name} sends a message with its change, and the table ${table} does not say that there may be some among its rows. Declare it with outbox: true, in every program that uses the table.`,
        { entity: name },
      );
    const most = maxTransactionOperations - 1 - 2 * tracked.model.indexes.length;
    if (tracked.messages.length >= most)
      throw new StateError(
        "outbox.too-many-messages",
        `An entity of ${name} has ${most} messages to be sent with its next change; more do not fit one transaction. Save in between, or let one message name several things.`,
        { entity: name, limit: most },
      );
    tracked.messages = [...tracked.messages, message];
  }

  /**
   * Adds a new entity, to be inserted by the next save. Adding it twice changes nothing; taking the key of a removed
   * entity replaces that one; adding a removed entity itself takes the removal back.
   *
   * @throws KeyError, or StateError `entity.duplicate-key` when another instance with this key is tracked
   */
  add<Entity extends object>(entity: Entity): Entity {
    this.#tracker.entities.checkOpen();
    this.#tracker.add(entity);
    return entity;
  }

  /**
   * Builds an entity from values and adds it.
   *
   * @throws as `add` does
   */
  create<const Class extends EntityClass>(entityClass: Class, values: NewOf<Class>): InstanceType<Class> {
    const model = modelOf(entityClass);
    checkValues(model, values);
    const entity = model.create();
    for (const name of Object.keys(values)) {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined) (entity as Record<string, unknown>)[name] = value;
    }
    return this.add(entity) as InstanceType<Class>;
  }

  /**
   * Tracks an entity that is known to be stored, without reading it: its values are taken as what is stored, and what
   * is assigned afterwards is saved. Properties without a value count as not loaded.
   *
   * @param etag - the version it was read with; `"*"` writes over any version, but never inserts
   * @throws KeyError, or StateError `entity.missing-etag`, `entity.duplicate-key`
   */
  attach<Entity extends object>(entity: Entity, etag: string): Entity {
    this.#tracker.entities.checkOpen();
    this.#tracker.attach(entity, etag);
    return entity;
  }

  /**
   * Writes an entity whether it is stored or not, without a condition: a newer version in the store is overwritten.
   *
   * @param mode - `merge` keeps stored properties that the entity does not name, `replace` drops them
   * @param options - `idempotent`: nobody else writes this key, so that after a lost answer it may be sent again
   * @throws KeyError, or StateError when the entity or its key is tracked already
   */
  upsert<Entity extends object>(
    entity: Entity,
    mode: UpsertMode,
    options: { readonly idempotent?: boolean | undefined } = {},
  ): Entity {
    this.#tracker.entities.checkOpen();
    checkArgument("upsert(entity, mode)", mode, oneOf("merge", "replace"));
    checkUpsertOptions(options);
    this.#tracker.upsert(entity, mode, options.idempotent === true);
    return entity;
  }

  /**
   * Saves properties whether they changed or not; without names, all that are loaded. Needed only to write what is
   * stored already, or where `tracking` is explicit.
   *
   * @throws StateError `entity.not-tracked`, `entity.unknown-property`; `entity.wrong-state` for a removed entity
   */
  update<Entity extends object>(entity: Entity, ...properties: (keyof Entity & string)[]): void {
    this.#tracker.entities.checkOpen();
    this.#tracker.update(entity, properties);
  }

  /**
   * Marks an entity to be deleted by the next save; one that was only added is detached.
   *
   * @throws StateError `entity.not-tracked`
   */
  remove(entity: object): void {
    this.#tracker.entities.checkOpen();
    this.#tracker.remove(entity);
  }

  /**
   * Marks an entity that nobody read to be deleted by the next save.
   *
   * @param etag - the version to delete, or `"*"` for any
   * @throws KeyError; StateError `entity.missing-etag`, or `entity.duplicate-key` when it is tracked: `remove` it then
   */
  removeByKey<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOf<NoInfer<Class>>,
    etag: string,
  ): void {
    this.#tracker.entities.checkOpen();
    const model = modelOf(entityClass);
    checkKeyValues("removeByKey(Class, key, etag)", model, key);
    const entityKey = keyOfEntity(model, key);
    this.#tracker.removeByKey(model, stubOf(model, entityKey), entityKey, etag);
  }

  /** Stops tracking an entity, whose changes are then not saved; false when it was not tracked. @throws StateError `entity.in-flight` */
  detach(entity: object): boolean {
    return this.#tracker.detach(entity);
  }

  /**
   * Takes an entity's changes back: it has the values it was read with again, and is not removed. One that was only
   * added, or is to be upserted, is detached.
   *
   * @throws StateError `entity.not-tracked`, `entity.in-flight`
   */
  discard(entity: object): void {
    this.#tracker.entities.checkOpen();
    this.#tracker.discard(entity);
  }

  /** What this context knows of an entity: state, ETag, conflicts, and why it could not be saved. */
  entry<Entity extends object>(entity: Entity): EntityEntry<Entity> {
    return new EntityEntry(this.#tracker, entity);
  }

  /** What the next save would do, entity by entity in the order they came, without doing it. */
  pendingChanges(): PendingChange[] {
    return pendingChanges(this.#tracker);
  }

  /** How many entities are tracked. */
  get size(): number {
    return this.#tracker.entities.size;
  }

  /**
   * Detaches every entity.
   *
   * @param options - `discard`: changes that were not saved are lost; without it they are an error
   * @throws StateError `context.pending-changes`, `entity.in-flight`
   */
  clear(options: { readonly discard?: boolean | undefined } = {}): void {
    this.#tracker.entities.checkOpen();
    checkClearOptions(options);
    for (const entry of this.#tracker.entities.values()) if (entry.isInFlight) throw inFlight(entry, "clear");
    const count = options.discard === true ? 0 : this.#tracker.pending().length;
    if (count > 0)
      throw new StateError(
        "context.pending-changes",
        `clear() would lose ${count} change(s) that are not saved, or not known to be. Save them first, or call clear({ discard: true }).`,
        { count },
      );
    this.#tracker.clear();
  }
}
