import { stubOf } from "../../model/codec/decode-entity.ts";
import { checkKeyValues, keyOfEntity } from "../../model/codec/entity-key.ts";
import { markCopy, sharedSymbol } from "../../values/errors/brand.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { checkCopy } from "../../values/errors/second-copy.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { oneOf, trueOrFalse } from "../../values/options/checks.ts";
import { checkArgument, type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { AnInstance, EntityClass } from "../../model/declaration/entity-definition.ts";
import type { NewOf, KeyOf, MemberValues } from "../../model/declaration/entity-shape.ts";
import type { ChildIn, ChildrenOf } from "../../model/declaration/children.ts";
import { modelOf, modelOfEntity } from "../../model/declaration/model-registry.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isUnsentUpsert, removeWithMembers } from "../unit-of-work/compare-lists.ts";
import { attachedWithList } from "../unit-of-work/list-errors.ts";
import { detachWithMembers } from "../unit-of-work/undo-lists.ts";
import { type AssignOptions, assignPlain } from "./assign-plain.ts";
import { addWithMembers, buildEntity, createMember, filledListOf } from "./create-entity.ts";
import { EntityEntry } from "../unit-of-work/entity-entry.ts";
import { type PendingChange, pendingChanges } from "../unit-of-work/pending-changes.ts";
import { Query } from "../../query/query.ts";
import { PendingSearch } from "../unit-of-work/pending-search.ts";
import { inFlight, wrongState } from "../unit-of-work/state-errors.ts";
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
 * Sends a message with the next change of an entity. The message's row is stored in the same transaction, or not at
 * all. An unchanged entity gets a new ETag with it. If the change is dropped, so is the message: by `discard`, by
 * `detach`, or by a read that replaces the entity's edits.
 *
 * @throws StateError `entity.not-tracked`, `outbox.too-many-messages`; ModelError `outbox.not-declared` for a table
 *   without `outbox: true`
 */
export function sendWith(context: EntityChanges, entity: object, message: OutboxMessage): void {
  checkCopy(context, "The context");
  const { [sendKey]: send } = context as unknown as Readonly<Record<symbol, unknown>>;
  (send as typeof sendWith)(context, entity, message);
}

/** The key of the function that sends messages, such as `sendWith`, in contexts of every copy of this package. */
export const sendKey: symbol = sharedSymbol("send");

/** The part of a context that records the changes for the next save. None of its methods sends a request. */
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
    const tracked = this.#tracker.open().tracked(entity, "send");
    const { options, name, table } = tracked.model;
    if (!options.outbox)
      throw new ModelError(
        "outbox.not-declared",
        `${name} sends a message with its change, but the table ${table} is not declared with an outbox. Declare it with outbox: true, in every program that uses the table.`,
        { entity: name },
      );
    const most = maxTransactionOperations - 1 - 2 * tracked.model.indexes.length;
    if (tracked.messages.length >= most)
      throw new StateError(
        "outbox.too-many-messages",
        `An entity of ${name} can send at most ${most} messages with its next change, since more do not fit one transaction. Save in between, or let one message describe several events.`,
        { entity: name, limit: most },
      );
    tracked.messages = [...tracked.messages, message];
  }

  /**
   * Adds a new entity, to be inserted by the next save. Adding it twice has no effect. If it has the key of a removed
   * entity, it replaces that entity. Adding the removed entity itself cancels the delete.
   *
   * ```ts
   * const blog = new Blog({ channel, postedOn: new Date(), text: "Now" });
   * context.add(blog);
   * await context.saveChanges();
   * ```
   *
   * @throws KeyError, or StateError `entity.duplicate-key` if another instance with this key is tracked
   */
  add<Entity extends AnInstance>(entity: Entity): Entity {
    this.#tracker.open().add(entity);
    return entity;
  }

  /**
   * Builds an entity from values and adds it, with the members of the lists that it owns:
   * `create(Order, { id: "8", lines: [{ no: 1, sku: "A" }] })`. Members get the key parts of their parent.
   *
   * ```ts
   * context.create(Order, { tenant: "acme", id: "8", lines: [{ no: 1, sku: "A" }] });
   * console.log((await context.saveChanges()).length); // → 2
   * ```
   *
   * @throws as `add` does
   */
  create<const Class extends EntityClass>(entityClass: Class, values: NewOf<Class>): InstanceType<Class> {
    const tracker = this.#tracker.open();
    const entity = buildEntity(tracker, modelOf(entityClass), values as Readonly<Record<string, unknown>>);
    addWithMembers(tracker, entity);
    return entity as InstanceType<Class>;
  }

  /**
   * Builds a member of a list, with the key parts of its parent, and adds it. If the parent has the list, the member is
   * put into it; the list needs not be loaded.
   *
   * @example
   * ```ts
   * const line = context.createIn(order, "lines", { no: 3, sku: "C" });
   * ```
   *
   * @throws StateError `entity.not-tracked` for a parent that this context does not track; `entity.key-changed` for
   *   values that name another parent; `entity.wrong-state` for a removed parent; ModelError `model.children`; as `add` does
   */
  createIn<Parent extends object, const Name extends ChildrenOf<Parent> & string>(
    parent: Parent,
    list: Name,
    values: MemberValues<Parent, ChildIn<Parent[Name]>>,
  ): ChildIn<Parent[Name]> {
    const tracker = this.#tracker.open();
    const tracked = tracker.tracked(parent, "createIn");
    if (tracked.intent.type === "remove") throw wrongState(tracked, "deleted", "createIn");
    const member = createMember(tracker, tracked, list, values as Readonly<Record<string, unknown>>);
    return member as ChildIn<Parent[Name]>;
  }

  /**
   * Assigns plain data, such as the body of a PATCH request, to a tracked entity: all of it, or nothing. `null` clears an
   * optional property. JSON properties are replaced, and members of loaded lists are matched by key. Key parts, the
   * kind, ETag and Timestamp may only repeat what the entity has. With explicit tracking, what it changes counts as named
   * by `update`, and lists are refused.
   *
   * ```ts
   * context.assign(blog, { text: "Edited", author: null });
   * console.log(context.entry(blog).changedProperties); // → [ 'text', 'author' ]
   * ```
   *
   * @param options - `only`, `except`: the names that the data may set
   * @throws SerializationError `plain.invalid-value`, `plain.unknown-property`, `plain.read-only`; StateError
   *   `entity.not-tracked`, `entity.list-not-loaded`; `entity.wrong-state` for a removed entity
   */
  assign<Entity extends object>(
    entity: Entity,
    plain: Readonly<Record<string, unknown>>,
    options: AssignOptions<keyof Entity & string> = {},
  ): void {
    const tracker = this.#tracker.open();
    const tracked = tracker.tracked(entity, "assign");
    if (tracked.intent.type === "remove") throw wrongState(tracked, "deleted", "assign");
    assignPlain(tracker, tracked, plain, options);
  }

  /**
   * Writes an entity's row with the next save even if nothing in it changed: the save fails if another program has
   * changed the row since it was read. It guards changes of other entities in the same transaction, such as the members
   * of its lists.
   *
   * ```ts
   * order.lines?.pop();
   * context.touch(order);
   * await context.saveChanges({ batch: "atomic" });
   * ```
   *
   * @throws StateError `entity.not-tracked`; `entity.wrong-state` for a removed entity
   */
  touch(entity: object): void {
    this.#tracker.open().touch(entity);
  }

  /**
   * Tracks a stored entity without reading it. Its current values count as the stored values, and properties that you
   * assign afterwards are saved. Properties without a value and owned lists count as not loaded.
   *
   * ```ts
   * const blog = new Blog({ channel, postedOn, text: "First" });
   * const own = new TableContext(storage);
   * own.attach(blog, "*").rating = 5;
   * await own.saveChanges();
   * ```
   *
   * @param etag - the ETag it was read with; `"*"` overwrites any version, but never inserts
   * @throws KeyError, or StateError `entity.missing-etag`, `entity.duplicate-key`, `entity.list-not-loaded` if an owned
   *   list has members
   */
  attach<Entity extends AnInstance>(entity: Entity, etag: string): Entity {
    const tracker = this.#tracker.open();
    const list = filledListOf(entity);
    if (list !== undefined) throw attachedWithList(modelOfEntity(entity), list);
    tracker.attach(entity, etag);
    return entity;
  }

  /**
   * Writes an entity whether it is stored or not, without a condition: a newer version in storage is overwritten. Members
   * of its owned lists are upserted in the same mode; other stored members stay.
   *
   * ```ts
   * const account = new Account({ bank: "b", id: "2", balance: 0 });
   * context.upsert(account, "replace");
   * await context.saveChanges();
   * ```
   *
   * @param mode - `merge` leaves other stored properties unchanged, `replace` drops them
   * @param options - `idempotent`: no other writer uses this key, so the write may be retried after a lost response
   * @throws KeyError, or StateError if the entity or its key is tracked already
   */
  upsert<Entity extends AnInstance>(
    entity: Entity,
    mode: UpsertMode,
    options: { readonly idempotent?: boolean | undefined } = {},
  ): Entity {
    const tracker = this.#tracker.open();
    // A class is not an entity: its error helps more than that of the mode.
    modelOfEntity(entity);
    checkArgument("upsert(entity, mode)", mode, oneOf("merge", "replace"));
    checkUpsertOptions(options);
    tracker.upsert(entity, mode, options.idempotent === true);
    return entity;
  }

  /**
   * Saves properties even if they did not change; without names, all loaded properties. You only need it to write
   * values that are already stored, or if `tracking` is explicit.
   *
   * ```ts
   * context.update(blog, "text");
   * console.log(context.entry(blog).state); // → modified
   * ```
   *
   * @throws StateError `entity.not-tracked`, `entity.unknown-property`; `entity.wrong-state` for a removed entity
   */
  update<Entity extends object>(entity: Entity, ...properties: (keyof Entity & string)[]): void {
    this.#tracker.open().update(entity, properties);
  }

  /**
   * Marks an entity to be deleted by the next save, with the members of the lists that it owns. An entity that was only
   * added is detached.
   *
   * ```ts
   * context.remove(blog);
   * await context.saveChanges();
   * console.log(await context.find(Blog, { channel, postedOn })); // → undefined
   * ```
   *
   * @throws StateError `entity.not-tracked`; `entity.list-not-loaded` if it owns a list that was not loaded: call
   *   `removeFamily` then
   */
  remove(entity: AnInstance): void {
    const tracker = this.#tracker.open();
    if (Query.is(entity))
      throw new StateError(
        "entity.not-tracked",
        "remove() takes an entity, but got a query. To delete all entities that it finds, call query.removeAll().",
      );
    const tracked = tracker.tracked(entity, "remove");
    if (isUnsentUpsert(tracked)) tracker.remove(entity);
    else removeWithMembers(tracker, tracked);
  }

  /**
   * Marks an entity that was not read to be deleted by the next save.
   *
   * ```ts
   * context.removeByKey(Account, { bank: "b", id: "1" }, "*");
   * await context.saveChanges();
   * ```
   *
   * @param etag - the version to delete, or `"*"` for any
   * @throws KeyError; StateError `entity.missing-etag`, or `entity.duplicate-key` if it is tracked: call `remove` then
   */
  removeByKey<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOf<NoInfer<Class>>,
    etag: string,
  ): void {
    const tracker = this.#tracker.open();
    const model = modelOf(entityClass);
    checkKeyValues("removeByKey(Class, key, etag)", model, key);
    const entityKey = keyOfEntity(model, tracker.scope.fill(model, key));
    tracker.removeByKey(model, stubOf(model, entityKey), entityKey, etag);
  }

  /**
   * Stops tracking an entity; its changes are not saved. New members of the lists of an entity that is not stored are
   * detached, too. Returns false if it was not tracked.
   *
   * ```ts
   * context.detach(blog);
   * console.log(context.entry(blog).state); // → detached
   * ```
   *
   * @throws StateError `entity.in-flight`
   */
  detach(entity: object): boolean {
    return detachWithMembers(this.#tracker, entity);
  }

  /**
   * Reverts an entity's changes: it gets the values back that it was read with, and is no longer removed. An entity
   * that was only added or upserted is detached. Its owned lists get their members back; edits of members stay.
   *
   * ```ts
   * blog.text = "Mine";
   * context.discard(blog);
   * console.log(blog.text); // → First
   * ```
   *
   * @throws StateError `entity.not-tracked`, `entity.in-flight`
   */
  discard(entity: object): void {
    this.#tracker.open().discard(entity);
  }

  /**
   * Returns the state of an entity in this context, with its ETag, its conflicts, and the error of its last save.
   *
   * ```ts
   * blog.rating = 5;
   * const { state, changedProperties } = context.entry(blog);
   * console.log(state, changedProperties); // → modified [ 'rating' ]
   * ```
   */
  entry<Entity extends object>(entity: Entity): EntityEntry<Entity> {
    return new EntityEntry(this.#tracker, entity);
  }

  /**
   * Lists the changes that the next save would make, in the order that the entities were tracked, without saving them.
   *
   * ```ts
   * blog.rating = 5;
   * for (const { state, assigned } of context.pendingChanges())
   *   console.log(state, assigned); // → modified [ 'rating' ]
   * ```
   */
  pendingChanges(): PendingChange[] {
    return pendingChanges(this.#tracker);
  }

  /**
   * The number of tracked entities.
   *
   * ```ts
   * console.log(context.size); // → 4
   * ```
   */
  get size(): number {
    return this.#tracker.entities.size;
  }

  /**
   * Detaches every entity.
   *
   * ```ts
   * blog.rating = 5;
   * context.clear({ discard: true });
   * console.log(context.size); // → 0
   * ```
   *
   * @param options - `discard`: drops changes that were not saved; without it, such changes are an error
   * @throws StateError `context.pending-changes`, `entity.in-flight`
   */
  clear(options: { readonly discard?: boolean | undefined } = {}): void {
    const tracker = this.#tracker.open();
    checkClearOptions(options);
    for (const entry of tracker.entities.values()) if (entry.isInFlight) throw inFlight(entry, "clear");
    const search = new PendingSearch(tracker);
    // What was put into a list and cannot be saved would be lost as well.
    const count = options.discard === true ? 0 : search.everything().length + search.problems.length;
    if (count > 0)
      throw new StateError(
        "context.pending-changes",
        `clear() would lose ${count} change(s) that are not saved, or have an unknown outcome. Save them first, or call clear({ discard: true }).`,
        { count },
      );
    tracker.clear();
  }
}
