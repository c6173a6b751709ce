import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { KindError } from "../errors/kind-error.ts";
import type { SaveResult } from "../errors/save-error.ts";
import { StateError } from "../errors/state-error.ts";
import { checkChoice, checkOptions } from "../errors/unknown-option.ts";
import { kindChooser } from "../materialize/choose-kind.ts";
import { decodeEntity, keyValuesOf } from "../materialize/decode-entity.ts";
import { keyOfEntity, subjectOf } from "../materialize/encode-entity.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { InitOfClass, KeyOfClass } from "../model/entity-shape.ts";
import { modelOf, modelOfEntity } from "../model/model-registry.ts";
import { type MergeOption, mergeOptions, Query } from "../query/query.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { stateOf } from "../unit-of-work/detect-changes.ts";
import { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { EntityState, Intent, TrackedEntity, UpsertMode } from "../unit-of-work/tracked-entity.ts";
import { type SaveOptions, saveTracked } from "./save-changes.ts";
import type { EntityValidator } from "./validate-entities.ts";
import { checkStorable } from "./check-storable.ts";

/** Settings of a context. */
export interface ContextOptions {
  /** How query rows meet tracked entities, where the query does not say; default `appendOnly`. */
  readonly mergeOption?: MergeOption;
  /** Checks every entity that a save would write; a violation stops the whole save before any request. */
  readonly validate?: EntityValidator;
}

/**
 * One unit of work: tracks the entities it reads and adds, and saves their changes together. Cheap and short-lived:
 * make one for each piece of work, and let it go. It does not close the storage.
 */
export class TableContext implements AsyncDisposable {
  readonly #storage: TableStorage;
  readonly #mergeOption: MergeOption;
  readonly #validate: EntityValidator | undefined;
  readonly #entities = new IdentityMap();
  #saves: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(storage: TableStorage, options: ContextOptions = {}) {
    if (typeof (storage as Partial<TableStorage> | undefined)?.query !== "function")
      throw new StateError(
        "context.storage",
        'new TableContext(storage) takes an open storage: await openStorage("file:path.db").',
      );
    checkOptions("new TableContext(storage, options)", options, ["mergeOption", "validate"]);
    if (options.mergeOption !== undefined) checkChoice("mergeOption", options.mergeOption, mergeOptions);
    this.#storage = storage;
    this.#mergeOption = options.mergeOption ?? "appendOnly";
    this.#validate = options.validate;
  }

  /**
   * Adds a new entity, to be inserted by the next save. Adding it twice changes nothing; taking the key of a removed
   * entity replaces that one.
   *
   * @throws KeyError, or StateError `entity.duplicate-key` when another instance with this key is tracked
   */
  add<Entity extends object>(entity: Entity): Entity {
    this.#checkUsable();
    const tracked = this.#entities.ofEntity(entity);
    if (tracked?.intent.type === "add") return entity;
    if (tracked?.intent.type === "remove" && !tracked.isInFlight) {
      tracked.intent = { type: "add", replaces: tracked.etag ?? "*" };
      return entity;
    }
    if (tracked !== undefined) throw this.#alreadyTracked(tracked, "add");
    const model = checkStorable(modelOfEntity(entity));
    const key = keyOfEntity(model, entity);
    const replaced = this.#entities.ofKey(model.table, key);
    if (replaced === undefined) this.#track(model, entity, key, { type: "add" });
    else this.#replace(replaced, model, entity, key);
    return entity;
  }

  /**
   * Builds an entity from values and adds it.
   *
   * @throws as `add` does
   */
  create<const Class extends EntityClass>(
    entityClass: Class,
    values: InitOfClass<Class>,
  ): InstanceType<Class> {
    const entity = modelOf(entityClass).create();
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) (entity as Record<string, unknown>)[name] = value;
    }
    return this.add(entity) as InstanceType<Class>;
  }

  /**
   * Writes an entity whether it is stored or not, without a condition: a newer version in the store is overwritten.
   *
   * @param mode - `merge` keeps stored properties that the entity does not name, `replace` drops them
   * @throws KeyError, or StateError when the entity or its key is tracked already
   */
  upsert<Entity extends object>(entity: Entity, mode: UpsertMode): Entity {
    this.#checkUsable();
    checkChoice("upsert(entity, mode)", mode, ["merge", "replace"]);
    const tracked = this.#entities.ofEntity(entity);
    if (tracked !== undefined) throw this.#alreadyTracked(tracked, "upsert");
    const model = checkStorable(modelOfEntity(entity));
    const key = keyOfEntity(model, entity);
    this.#checkKeyFree(model, key);
    this.#track(model, entity, key, { type: "upsert", mode });
    return entity;
  }

  /**
   * Finds one entity by its key: among those tracked, else by a point read. A removed entity is not found.
   *
   * @throws KeyError `key.missing-part` when the key lacks a part; KindError when another kind has the key
   */
  async find<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOfClass<NoInfer<Class>>,
    options?: RequestOptions,
  ): Promise<InstanceType<Class> | undefined> {
    this.#checkUsable();
    const model = modelOf(entityClass);
    const entityKey = keyOfEntity(model, key);
    const tracked = this.#entities.ofKey(model.table, entityKey);
    if (tracked !== undefined) {
      checkClass(entityClass, tracked.model, model, entityKey);
      return tracked.intent.type === "remove" ? undefined : (tracked.entity as InstanceType<Class>);
    }
    const stored = await this.#storage.get(model.table, entityKey, options);
    if (stored === undefined) return undefined;
    const found = kindChooser([entityClass]).choose(stored);
    if (found === undefined)
      throw KindError.mismatch(subjectOf(model, entityKey), model.name, kindOf(model, stored));
    return this.#materialize(found, stored, this.#mergeOption) as InstanceType<Class>;
  }

  /**
   * Marks an entity to be deleted by the next save; one that was only added is forgotten.
   *
   * @throws StateError `entity.not-tracked`
   */
  remove(entity: object): void {
    const tracked = this.#tracked(entity, "remove");
    const isNew = tracked.intent.type === "add" && tracked.intent.replaces === undefined;
    // What is on its way may be stored in a moment: then the next save removes it.
    if (isNew && !tracked.isInFlight) this.#entities.delete(tracked);
    else if (tracked.intent.type === "upsert" && !tracked.isInFlight)
      throw this.#alreadyTracked(tracked, "remove");
    else tracked.intent = { type: "remove" };
  }

  /** Forgets an entity and its changes; false when it was not tracked. @throws StateError `entity.in-flight` */
  detach(entity: object): boolean {
    const tracked = this.#entities.ofEntity(entity);
    if (tracked === undefined) return false;
    if (tracked.isInFlight) throw inFlight(tracked);
    this.#entities.delete(tracked);
    return true;
  }

  /** What an entity is to this context; `modified` is found by comparing it with what was read. */
  stateOf(entity: object): EntityState {
    const tracked = this.#entities.ofEntity(entity);
    return tracked === undefined ? "detached" : stateOf(tracked);
  }

  /** The version a tracked entity was read or saved with; undefined when it has none yet. */
  etagOf(entity: object): string | undefined {
    return this.#entities.ofEntity(entity)?.etag;
  }

  /** Entities the next save would send, in the order they came. */
  pending(): object[] {
    return [...this.#entities.values()]
      .filter((entry) => stateOf(entry) !== "unchanged")
      .map((entry) => entry.entity);
  }

  /** How many entities are tracked. */
  get size(): number {
    return this.#entities.size;
  }

  /** Asks for entities of one class, or of several that share a table. */
  query<Entity extends object>(entityClass: EntityClass<Entity>): Query<Entity>;
  query<const Classes extends readonly EntityClass[]>(
    entityClasses: Classes,
  ): Query<InstanceType<Classes[number]>>;
  query(asked: EntityClass | readonly EntityClass[]): Query<object> {
    this.#checkUsable();
    const chooser = kindChooser(Array.isArray(asked) ? asked : [asked as EntityClass]);
    const materialize = this.#materialize.bind(this);
    return new Query(
      { storage: this.#storage, chooser, materialize },
      { predicates: [], merge: this.#mergeOption, mayScan: false },
    );
  }

  /**
   * Stores every pending change: grouped by table and partition into entity group transactions of at most 100
   * operations and 4 MiB, which are atomic each but not together. Calls queue; each computes its changes as it starts.
   *
   * @returns one result per change; empty when nothing changed, in which case nothing is sent
   * @throws SaveError when a change was refused or its outcome is not known; the rest is stored, and the context stays usable
   */
  async saveChanges(options: SaveOptions = {}): Promise<readonly SaveResult[]> {
    this.#checkUsable();
    const save = this.#saves.then(() => saveTracked(this.#storage, this.#entities, options, this.#validate));
    this.#saves = save.catch(() => undefined);
    return save;
  }

  /** Waits for running saves and closes the context. Pending changes are not saved; a process warning tells of them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#saves;
    const left = this.pending().length;
    if (left > 0)
      process.emitWarning(
        `A context was closed with ${left} unsaved change(s). Call saveChanges() before it ends.`,
        {
          code: "PARTITA_UNSAVED",
        },
      );
    this.#entities.clear();
  }

  #track(model: EntityModel, entity: object, key: EntityKey, intent: Intent, etag?: string): void {
    this.#entities.add({
      entity,
      model,
      key,
      keyValues: keyValuesOf(model, entity),
      intent,
      snapshot: undefined,
      isComplete: true,
      etag,
      isInFlight: false,
      lastError: undefined,
    });
  }

  #materialize(model: EntityModel, stored: StoredEntity, merge: MergeOption): object {
    this.#checkUsable();
    if (merge === "noTracking") return decodeEntity(model, stored);
    const key = { partitionKey: stored.PartitionKey, rowKey: stored.RowKey };
    const tracked = this.#entities.ofKey(model.table, key);
    if (tracked !== undefined) return tracked.entity;
    const entity = decodeEntity(model, stored);
    this.#entities.add({
      entity,
      model,
      key,
      keyValues: keyValuesOf(model, entity),
      intent: noIntent,
      snapshot: stored,
      isComplete: true,
      etag: stored["odata.etag"],
      isInFlight: false,
      lastError: undefined,
    });
    return entity;
  }

  /** A new instance takes the key of a removed one: one REPLACE under the old ETag instead of delete and insert. */
  #replace(replaced: TrackedEntity, model: EntityModel, entity: object, key: EntityKey): void {
    if (replaced.intent.type !== "remove" || replaced.isInFlight) throw duplicateKey(model, key);
    this.#entities.delete(replaced);
    const { etag } = replaced;
    this.#track(
      model,
      entity,
      key,
      etag === undefined ? { type: "add" } : { type: "add", replaces: etag },
      etag,
    );
  }

  #checkKeyFree(model: EntityModel, key: EntityKey): void {
    if (this.#entities.ofKey(model.table, key) !== undefined) throw duplicateKey(model, key);
  }

  #tracked(entity: object, operation: string): TrackedEntity {
    this.#checkUsable();
    const tracked = this.#entities.ofEntity(entity);
    if (tracked !== undefined) return tracked;
    const model = modelOfEntity(entity);
    throw new StateError(
      "entity.not-tracked",
      `${operation}() takes an entity of this context, but this ${model.name} was neither read nor added here. Read it with find() or a query first.`,
      { entity: model.name, operation },
    );
  }

  #alreadyTracked({ model, key }: TrackedEntity, operation: string): StateError {
    return new StateError(
      "entity.wrong-state",
      `${subjectOf(model, key)} is tracked by this context already, so ${operation}() does not apply. Change it and save, or detach it first.`,
      { entity: model.name, operation },
    );
  }

  #checkUsable(): void {
    if (this.#isDisposed)
      throw new StateError(
        "context.disposed",
        "This context was closed. Make a new TableContext for each unit of work.",
      );
  }
}

/** Shared by every entity that was only read. */
const noIntent: Intent = { type: "none" };

function checkClass(asked: EntityClass, found: EntityModel, model: EntityModel, key: EntityKey): void {
  const isSame = found.entityClass === asked || found.entityClass.prototype instanceof asked;
  if (!isSame) throw KindError.mismatch(subjectOf(model, key), model.name, found.name);
}

const kindOf = ({ options }: EntityModel, stored: StoredEntity): string =>
  `row of kind "${String(stored[options.kindProperty] ?? "none")}"`;

function duplicateKey(model: EntityModel, key: EntityKey): StateError {
  return new StateError(
    "entity.duplicate-key",
    `${subjectOf(model, key)} is tracked already by another instance. Change that one (find() returns it), or detach it first.`,
    { entity: model.name },
  );
}

function inFlight({ model, key }: TrackedEntity): StateError {
  return new StateError(
    "entity.in-flight",
    `${subjectOf(model, key)} is being saved. Await saveChanges() first.`,
    { entity: model.name },
  );
}
