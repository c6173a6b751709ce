import { addCaller, callerOf } from "../errors/caller.ts";
import { SaveError } from "../save/save-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { StateError } from "../errors/state-error.ts";
import { checkChoice, checkOptions } from "../errors/unknown-option.ts";
import { type KindChooser, kindChooser } from "../codec/choose-kind.ts";
import { assignKeys } from "../codec/decode-entity.ts";
import { checkKeyList, checkKeyValues, checkValues } from "../codec/check-key.ts";
import { keyOfEntity, keysOfEntity } from "../codec/encode-entity.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import type { InitOfClass, KeyOfClass } from "../model/entity-shape.ts";
import { modelOf } from "../model/model-registry.ts";
import { Query } from "../query/query.ts";
import { retriesOf } from "../storage/attempts.ts";
import { retryReads } from "../storage/retry-reads.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { inFlight } from "../unit-of-work/state-errors.ts";
import { type MergeOption, mergeOptions } from "../unit-of-work/merge-row.ts";
import type { UpsertMode } from "../unit-of-work/tracked-entity.ts";
import { Conditions } from "../query/plan/conditions.ts";
import { BulkWriter, type PageContext } from "./bulk-writer.ts";
import { checkContext, type ContextOptions } from "./context-options.ts";
import { EntityEntry } from "../unit-of-work/entity-entry.ts";
import { EntityReader, type FindOptions } from "./entity-reader.ts";
import { checkNotInside, runInside } from "../observe/hooks.ts";
import { modifyEntity, type ModifyOptions } from "./modify-entity.ts";
import { observeStorage } from "../observe/observe-storage.ts";
import { RefusedChanges } from "../save/refused-changes.ts";
import { checkLateErrors } from "../save/describe-save.ts";
import { type FamilySource, removeFamily } from "./remove-family.ts";
import { RequestBudget } from "../observe/request-budget.ts";
import { type Resolution, resolveConflict } from "./resolve-conflict.ts";
import { type SaveSource, traceSave } from "../save/save-changes.ts";
import { checkSaveOptions, type SaveOptions } from "../save/save-options.ts";
import { checkResolveOptions, type ResolveOptions, resolveInDoubt } from "../recovery/resolve-in-doubt.ts";
import { allValidators } from "../save/validate-entities.ts";
import { type PendingChange, pendingChanges } from "../unit-of-work/pending-changes.ts";

/**
 * One unit of work: tracks the entities it reads and adds, and saves their changes together. Cheap and short-lived:
 * make one for each piece of work, and let it go. It does not close the storage.
 */
export class TableContext implements AsyncDisposable {
  readonly #rawStorage: TableStorage;
  readonly #storage: TableStorage;
  readonly #options: ContextOptions;
  readonly #mergeOption: MergeOption;
  readonly #reader: EntityReader;
  readonly #tracker: ChangeTracker;
  readonly #source: SaveSource;
  /** The last `modify` of each key that is under way. */
  readonly #modifying = new Map<string, Promise<void>>();
  #saves: Promise<unknown> = Promise.resolve();
  readonly #refused = new RefusedChanges();
  #isDisposed = false;

  constructor(storage: TableStorage, options: ContextOptions = {}) {
    checkContext(storage, options);
    const { mergeOption = "appendOnly", tracking, validate, hooks = {} } = options;
    const retries = retriesOf(storage, options.retry, options.clock);
    const lateErrors: unknown[] = [];
    const budget = options.requestBudget === undefined ? undefined : new RequestBudget(options.requestBudget);
    const observers = {
      context: this,
      hooks,
      budget,
      onLateError: (error: unknown) => lateErrors.push(error),
    };
    this.#rawStorage = storage;
    this.#storage = retryReads(observeStorage(storage, observers), retries, options.staleReads);
    this.#options = options;
    this.#mergeOption = mergeOption;
    this.#tracker = new ChangeTracker(tracking === "explicit", options.strictReads === true);
    this.#reader = new EntityReader(this.#storage, this.#tracker, {
      mergeOption,
      materialized: hooks.materialized,
      writesUpgrades: options.upgrade === "write",
      failedUpgrades: options.failedUpgrades ?? "stop",
      checkOpen: () => this.#checkStillOpen(),
    });
    this.#source = {
      context: this,
      storage: this.#storage,
      tracker: this.#tracker,
      retries,
      hooks,
      validate: validate && allValidators(validate),
      undeclared: options.undeclared,
      lateErrors,
    };
    budget?.watch(this, [TableContext, Query]);
  }

  /**
   * Adds a new entity, to be inserted by the next save. Adding it twice changes nothing; taking the key of a removed
   * entity replaces that one; adding a removed entity itself takes the removal back.
   *
   * @throws KeyError, or StateError `entity.duplicate-key` when another instance with this key is tracked
   */
  add<Entity extends object>(entity: Entity): Entity {
    this.#checkUsable();
    this.#tracker.add(entity);
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
    const model = modelOf(entityClass);
    checkValues(model, values);
    const entity = model.create();
    for (const [name, value] of Object.entries(values)) {
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
    this.#checkUsable();
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
    options: { readonly idempotent?: boolean } = {},
  ): Entity {
    this.#checkUsable();
    checkChoice("upsert(entity, mode)", mode, ["merge", "replace"]);
    checkOptions("upsert(entity, mode, options)", options, ["idempotent"]);
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
    this.#checkUsable();
    this.#tracker.update(entity, properties);
  }

  /**
   * Marks an entity to be deleted by the next save; one that was only added is forgotten.
   *
   * @throws StateError `entity.not-tracked`
   */
  remove(entity: object): void {
    this.#checkUsable();
    this.#tracker.remove(entity);
  }

  /**
   * Marks an entity and all that is below it to be deleted by the next save: its children, and theirs. They are read as
   * one range of keys and tracked. The save removes them in entity group transactions of up to 100, which are not atomic
   * together.
   *
   * @returns how many entities are to be deleted, the parent included
   * @throws StateError `entity.not-tracked`; ModelError `model.children` for a class that declares no children
   */
  async removeFamily(entity: object, options: Pick<RequestOptions, "signal"> = {}): Promise<number> {
    this.#checkUsable();
    checkOptions("removeFamily(entity, options)", options, ["signal"]);
    const parent = this.#tracker.tracked(entity, "removeFamily");
    const source: FamilySource = {
      storage: this.#storage,
      tracker: this.#tracker,
      take: (model, row, readAt) => {
        this.#checkStillOpen();
        return this.#reader.materialize(model, row, "appendOnly", readAt);
      },
    };
    return removeFamily(source, parent, options);
  }

  /**
   * Marks an entity that nobody read to be deleted by the next save.
   *
   * @param etag - the version to delete, or `"*"` for any
   * @throws KeyError; StateError `entity.missing-etag`, or `entity.duplicate-key` when it is tracked: `remove` it then
   */
  removeByKey<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOfClass<NoInfer<Class>>,
    etag: string,
  ): void {
    this.#checkUsable();
    const model = modelOf(entityClass);
    checkKeyValues("removeByKey(Class, key, etag)", model, key);
    const entityKey = keyOfEntity(model, key);
    const stub = model.createBlank() as Record<string, unknown>;
    assignKeys(model, { PartitionKey: entityKey.partitionKey, RowKey: entityKey.rowKey }, stub);
    this.#tracker.removeByKey(model, stub, entityKey, etag);
  }

  /** Forgets an entity and its changes; false when it was not tracked. @throws StateError `entity.in-flight` */
  detach(entity: object): boolean {
    return this.#tracker.detach(entity);
  }

  /**
   * Takes an entity's changes back: it has the values it was read with again, and is not removed. One that was only
   * added, or is to be upserted, is forgotten.
   *
   * @throws StateError `entity.not-tracked`, `entity.in-flight`
   */
  discard(entity: object): void {
    this.#checkUsable();
    this.#tracker.discard(entity);
  }

  /**
   * Reads an entity anew. By default what is stored takes the place of every edit; with `preserveChanges`, edits stay
   * over it, and `entry(entity).conflicts` lists what was changed on both sides. An entity that is no longer stored is
   * forgotten; an added one stays added while its key is free.
   *
   * @throws StateError `entity.not-tracked`, `entity.in-flight`; KindError when another kind has the key now
   */
  async reload(
    entity: object,
    merge: "overwriteChanges" | "preserveChanges" = "overwriteChanges",
    options?: RequestOptions,
  ): Promise<void> {
    this.#checkUsable();
    checkChoice("reload(entity, merge)", merge, ["overwriteChanges", "preserveChanges"]);
    const tracked = this.#tracker.tracked(entity, "reload");
    await this.#reader.reload(tracked, merge === "preserveChanges", options);
  }

  /**
   * Settles a refused change: reads what is stored now, and keeps edits over it (`mine`), drops them (`theirs`), or asks
   * for each property that was changed on both sides. The next save then writes under the new version. When the entity is
   * no longer stored, `theirs` forgets it, and anything else adds it again.
   *
   * @throws as `reload` does; StateError `entity.not-loaded` when it would be added again, but was not wholly loaded
   */
  resolve(entity: object, resolution: Resolution, options?: RequestOptions): Promise<void>;
  /**
   * Finds out what became of changes whose outcome a save could not learn, by reading their rows; nothing is written. A
   * request that is not stored yet may still be carried out for a minute after it was sent: until then its outcome stays
   * `unknown`, and `wait: true` waits for it. What is `rejected` is as before the save, and pending again.
   *
   * @returns one result per entity whose outcome was unknown
   * @throws StateError `entity.not-tracked`, `context.reentrant-save`
   */
  resolve(options?: ResolveOptions): Promise<readonly SaveResult[]>;
  async resolve(
    asked: object = {},
    resolution?: Resolution,
    options?: RequestOptions,
  ): Promise<readonly SaveResult[] | void> {
    this.#checkUsable();
    if (
      this.#tracker.entities.ofEntity(asked) !== undefined &&
      (resolution === undefined || typeof resolution === "object")
    )
      throw new StateError(
        "context.option",
        'resolve(entity, resolution) takes "mine", "theirs" or a function; resolve({ only: [entity] }) settles an unknown outcome.',
      );
    if (resolution !== undefined)
      return resolveConflict(this.#reader, this.#tracker, asked, resolution, options);
    checkNotInside(this, "resolve()");
    const checked = checkResolveOptions(asked, this.#source);
    return this.#inTurn(async () => {
      const results = await resolveInDoubt(this.#source, checked);
      const committed = results.filter(({ outcome }) => outcome === "committed");
      checkLateErrors(this.#source.lateErrors, committed);
      return results;
    });
  }

  /** Saves, and what settles them, wait for each other. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#saves.then(work);
    // Without the results, which would keep every saved entity alive.
    this.#saves = turn.then(ignore, ignore);
    return turn;
  }

  /**
   * Finds one entity by its key: among those tracked, else by a point read. A removed entity is not found; of one that a
   * projected query read, the rest is read too. A value that the key only has a part of, such as the month of a date,
   * counts as far as the key tells it.
   *
   * @throws KeyError `key.missing-part` when the key lacks a part; KindError when another kind has the key
   */
  async find<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOfClass<NoInfer<Class>>,
    options: FindOptions = {},
  ): Promise<InstanceType<Class> | undefined> {
    this.#checkUsable();
    const model = modelOf(entityClass);
    checkKeyValues("find(Class, key)", model, key);
    checkOptions("find(Class, key, options)", options, ["merge", "signal", "retry"]);
    if (options.merge !== undefined) checkChoice("find({ merge })", options.merge, mergeOptions);
    return (await this.#reader.find(entityClass, model, keysOfEntity(model, key), options)) as
      | InstanceType<Class>
      | undefined;
  }

  /**
   * Finds several entities of one class by their keys: each among those tracked, else by a point read; equal keys are
   * read once, and up to 16 at a time.
   *
   * @returns in the order of the keys; undefined where nothing is stored
   * @throws as `find` does
   */
  async findMany<const Class extends EntityClass>(
    entityClass: Class,
    keys: readonly KeyOfClass<NoInfer<Class>>[],
    options: FindOptions = {},
  ): Promise<(InstanceType<Class> | undefined)[]> {
    this.#checkUsable();
    const model = modelOf(entityClass);
    checkKeyList("findMany(Class, keys)", model, keys);
    const wanted = keys.map((key) => keysOfEntity(model, key));
    const found = await this.#reader.findMany(entityClass, model, wanted, options);
    return found as (InstanceType<Class> | undefined)[];
  }

  /**
   * Reads an entity, changes it and saves it alone; when somebody else changed it in between, again on what is stored
   * then. The change must only depend on the entity it is given. Calls for one key wait for each other, and `change`
   * must not call `modify` itself.
   *
   * @param options - `attempts`: how often in all; default 5
   * @returns the saved entity; undefined when none is stored, and `change` was not called
   * @throws SaveError when the last attempt failed too; StateError `entity.pending-changes` when it has other changes
   */
  async modify<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOfClass<NoInfer<Class>>,
    change: (entity: InstanceType<Class>) => void | Promise<void>,
    options: ModifyOptions = {},
  ): Promise<InstanceType<Class> | undefined> {
    this.#checkUsable();
    // One inside another could wait for itself.
    checkNotInside(this.#modifying, "modify()");
    const caller = callerOf(this, "modify");
    const model = modelOf(entityClass);
    checkKeyValues("modify(Class, key, change)", model, key);
    if (typeof change !== "function")
      throw new StateError(
        "context.option",
        "modify(Class, key, change) takes a function: (entity) => { … }.",
      );
    const { partitionKey, rowKey } = keyOfEntity(model, key);
    const id = `${model.table}\0${partitionKey}\0${rowKey}`;
    const find = (): Promise<InstanceType<Class> | undefined> =>
      this.find(entityClass, key, options.signal && { signal: options.signal });
    const isWhole = (entity: InstanceType<Class>): boolean =>
      this.#tracker.entities.ofEntity(entity)?.snapshot?.isWhole === true;
    const inside = (entity: InstanceType<Class>): Promise<void> =>
      runInside(this.#modifying, async () => change(entity));
    // Two at once would each change what the other has not saved yet.
    const turn = (this.#modifying.get(id) ?? Promise.resolve()).then(() =>
      modifyEntity(this, { find, isWhole }, inside, options),
    );
    const settled = turn.then(ignore, ignore);
    this.#modifying.set(id, settled);
    try {
      return await turn;
    } catch (error) {
      if (error instanceof SaveError) addCaller(error, caller);
      throw error;
    } finally {
      if (this.#modifying.get(id) === settled) this.#modifying.delete(id);
    }
  }

  /** What this context knows of an entity: state, ETag, conflicts, and why it could not be saved. */
  entry<Entity extends object>(entity: Entity): EntityEntry<Entity> {
    return new EntityEntry(this.#tracker, entity);
  }

  /** Entities the next save has something to do for, in the order they came. */
  pending(): object[] {
    return this.#tracker.pending().map((entry) => entry.entity);
  }

  /** What the next save would do, entity by entity, without doing it. */
  whatChanged(): PendingChange[] {
    return pendingChanges(this.#tracker);
  }

  /** How many entities are tracked. */
  get size(): number {
    return this.#tracker.entities.size;
  }

  /**
   * Forgets every entity.
   *
   * @param options - `discard`: changes that were not saved are lost; without it they are an error
   * @throws StateError `context.pending-changes`, `entity.in-flight`
   */
  clear(options: { readonly discard?: boolean } = {}): void {
    this.#checkUsable();
    checkOptions("clear(options)", options, ["discard"]);
    for (const entry of this.#tracker.entities.values()) if (entry.isInFlight) throw inFlight(entry, "clear");
    const count = options.discard === true ? 0 : this.#tracker.pending().length;
    if (count > 0)
      throw new StateError(
        "context.pending-changes",
        `clear() would lose ${count} change(s) that are not saved, or not known to be. Save them first, or call clear({ discard: true }).`,
        { count },
      );
    this.#tracker.entities.clear();
  }

  /** Asks for entities of one class, or of several that share a table. */
  query<Entity extends object>(entityClass: EntityClass<Entity>): Query<Entity>;
  query<const Classes extends readonly EntityClass[]>(
    entityClasses: Classes,
  ): Query<InstanceType<Classes[number]>>;
  query(asked: EntityClass | readonly EntityClass[]): Query<object> {
    this.#checkUsable();
    const chooser = kindChooser(Array.isArray(asked) ? asked : [asked as EntityClass]);
    return new Query(
      {
        storage: this.#storage,
        chooser,
        materialize: (model, stored, merge, readAt, loaded) => {
          this.#checkStillOpen();
          return this.#reader.materialize(model, stored, merge, readAt, loaded);
        },
        failedUpgrades: this.#options.failedUpgrades ?? "stop",
        ...(this.#options.upgrade === "write" && {
          upgradeNow: (rows, merge, signal) => this.#reader.upgradeNow(chooser, rows, merge, signal),
        }),
        now: () => this.#tracker.clock,
        bulk: () => this.#bulkWriter(chooser),
      },
      { conditions: new Conditions(), merge: this.#mergeOption, mayScan: false },
    );
  }

  /**
   * Stores every pending change: grouped by table and partition into entity group transactions of at most 100
   * operations and 4 MiB, which are atomic each but not together. Calls queue; each computes its changes as it starts.
   * What an earlier save left unknown is settled first.
   *
   * @returns one result per change; empty when nothing changed, in which case nothing is sent
   * @throws SaveError when a change was refused or its outcome is not known; the rest is stored, and the context stays
   *   usable. StateError `context.reentrant-save` from inside a hook
   */
  async saveChanges(options: SaveOptions = {}): Promise<readonly SaveResult[]> {
    this.#checkUsable();
    checkNotInside(this, "saveChanges()");
    const checked = checkSaveOptions(options, this.#tracker);
    const caller = callerOf(this, "saveChanges");
    try {
      return await this.#inTurn(() => traceSave(this.#source, checked));
    } catch (error) {
      if (error instanceof SaveError) {
        addCaller(error, caller);
        this.#refused.note(error, this.#tracker);
      }
      throw error;
    }
  }

  /**
   * Waits for running saves and closes the context. Pending changes are not saved; a process warning `PARTITA_UNSAVED`
   * counts them, those excepted that the last save refused and reported.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    checkNotInside(this, "Closing the context");
    this.#isDisposed = true;
    await this.#saves;
    const left = this.#tracker.pending().filter((entry) => !this.#refused.has(entry)).length;
    if (left > 0)
      process.emitWarning(
        `A context was closed with ${left} change(s) that are not saved, or not known to be. Call saveChanges() before it ends.`,
        {
          code: "PARTITA_UNSAVED",
        },
      );
    this.#tracker.entities.clear();
  }

  /** Writes of whole queries work in contexts of their own; this one learns which of its entities are outdated. */
  #bulkWriter(chooser: KindChooser): BulkWriter {
    // What a callback changes is to be saved without being named.
    const { requestBudget: _budget, tracking: _tracking, failedUpgrades = "stop", ...rest } = this.#options;
    // A row that is no entity cannot be changed or removed as one.
    const options: ContextOptions = { ...rest, failedUpgrades: failedUpgrades === "stop" ? "stop" : "skip" };
    const open = (): PageContext => new TableContext(this.#rawStorage, options).#asPageContext(chooser.table);
    return new BulkWriter(open, chooser, (model, key) => {
      const tracked = this.#tracker.entities.ofKey(model, key);
      if (tracked !== undefined) tracked.isStale = true;
    });
  }

  #asPageContext(table: string): PageContext {
    return {
      take: (model, row) => this.#reader.materialize(model, row, "appendOnly", this.#tracker.clock),
      read: (key) => this.#storage.get(table, key, { mayBeStale: false }),
      remove: (entity) => this.remove(entity),
      saveChanges: (options) => this.saveChanges(options),
      forgetAll: () => this.clear({ discard: true }),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  #checkUsable(): void {
    if (this.#isDisposed)
      throw new StateError(
        "context.disposed",
        "This context was closed. Make a new TableContext for each unit of work.",
      );
  }

  /** The same for what was on its way when the context was closed. */
  #checkStillOpen(): void {
    if (this.#isDisposed)
      throw new StateError(
        "context.disposed",
        "This context was closed while something was still being read in it. Await what you return: `return await query.toArray()`, since `await using` closes the context as soon as the function returns.",
      );
  }
}

const ignore = (): void => undefined;
