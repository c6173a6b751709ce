import { addCaller, callerOf, showsWaiting } from "../../values/errors/caller.ts";
import { SaveError } from "../save/save-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { kindChooser } from "../../model/codec/choose-kind.ts";
import { checkKeyList, checkKeyValues, keysOfEntity } from "../../model/codec/entity-key.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import type { ModelError } from "../../values/errors/model-error.ts";
import type { KeyOf } from "../../model/declaration/entity-shape.ts";
import type { ChildrenOf } from "../../model/declaration/children.ts";
import { modelOf } from "../../model/declaration/model-registry.ts";
import type { EqualTo } from "../../query/build/columns.ts";
import type { ReadOptions } from "../../query/options/read-options.ts";
import type { WithChildren } from "../../query/options/include-options.ts";
import { findMany } from "./find-many.ts";
import { findWithChildren } from "./find-with-children.ts";
import { Query } from "../../query/query.ts";
import { notOneClass } from "../../query/query-errors.ts";
import { IndexStates } from "../../model/schema/index-states.ts";
import { retriesOf } from "../../storage/with-retry.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { Conditions } from "../../query/plan/conditions.ts";
import { checkContext, type ContextOptions, noContextOptions } from "./context-options.ts";
import { EntityChanges } from "./entity-changes.ts";
import {
  checkFindOptions,
  checkReloadOptions,
  EntityReader,
  type FindOptions,
  type IncludedLists,
  type ReloadOptions,
} from "./entity-reader.ts";
import { checkNotInside, hasHooks, hooksOf } from "../unit-of-work/hooks.ts";
import type { ContextParts } from "./context-parts.ts";
import { querySourceOf } from "./query-source.ts";
import { EntityModifier, type ModifyOptions } from "./modify-entity.ts";
import { ContextStorage } from "./context-storage.ts";
import { noteRefused } from "./refused-changes.ts";
import { checkLateErrors } from "../save/describe-save.ts";
import { removeFamily } from "./remove-family.ts";
import { ContextScope, noScope } from "../scope/context-scope.ts";
import { MissingTables } from "./missing-tables.ts";
import { RequestBudget } from "./request-budget.ts";
import { type ConflictResolution, resolveConflict } from "./resolve-conflict.ts";
import { saveTracked } from "../save/save-changes.ts";
import { endWatch, watchUnsaved } from "./unsaved-changes.ts";
import { checkSaveOptions, initialSave, type SaveOptions } from "../save/save-options.ts";
import { Ledger } from "../recovery/ledger.ts";
import { checkResolveOptions, type ResolveOptions, resolveInDoubt } from "../recovery/resolve-in-doubt.ts";

/**
 * A unit of work: tracks the entities that it reads and adds, and saves their changes together. A context is cheap and
 * short-lived: make one for each piece of work. It does not close the storage.
 *
 * ```ts
 * await using context = new TableContext(storage);
 * const blog = await context.find(Blog, { channel, postedOn });
 * if (blog !== undefined) blog.rating = 5;
 * await context.saveChanges();
 * ```
 */
export class TableContext extends EntityChanges implements AsyncDisposable {
  readonly #parts: ContextParts;
  readonly #tracker: ChangeTracker;
  #modifier: EntityModifier | undefined;
  #saves: Promise<unknown> = Promise.resolve();

  constructor(storage: TableStorage, options: ContextOptions = noContextOptions) {
    checkContext(storage, options);
    const ledger = new Ledger();
    const scope = options.scope === undefined ? noScope : new ContextScope(options.scope);
    const tracker = new ChangeTracker(options.tracking === "explicit", ledger, scope);
    super(tracker);
    const { validate } = options;
    const hooks = hooksOf(options.hooks);
    const retries = retriesOf(storage, options.retry, options.clock);
    const lateErrors: unknown[] = [];
    const budget = options.requestBudget === undefined ? undefined : new RequestBudget(options.requestBudget);
    const { createTables, retry, clock } = options;
    const missingTables = createTables && new MissingTables(storage, createTables, { retry, clock });
    const observers = { context: this, hooks, budget, missingTables, lateErrors };
    const own = new ContextStorage(storage, observers, retries, options.staleReads === true);
    this.#tracker = tracker;
    const source = {
      context: this,
      runsCallbacks: validate !== undefined || hasHooks(hooks),
      storage: own,
      indexStates: new IndexStates(storage, own),
      tracker,
      ledger,
      retries,
      hooks,
      validators: validate && [validate].flat(),
      undeclared: options.undeclared ?? ("error" as const),
      lateErrors,
      options,
    };
    const reader = new EntityReader(source, options);
    const openOther = (settings: ContextOptions): ContextParts =>
      new TableContext(storage, { ...settings, scope: scope.option }).#parts;
    this.#parts = Object.assign(source, { reader, openOther });
    budget?.watch(this, [TableContext, Query]);
    watchUnsaved(this, tracker);
  }

  /**
   * Marks an entity and all its descendants to be deleted by the next save. Its children and their children are read as
   * one key range and tracked. The save deletes them in entity group transactions of up to 100, which are not atomic
   * together.
   *
   * ```ts
   * console.log(await context.removeFamily(order)); // → 3
   * await context.saveChanges();
   * ```
   *
   * @returns the number of entities that the save will delete, including the parent
   * @throws StateError `entity.not-tracked`; ModelError `model.children` for a class that declares no children
   */
  async removeFamily(entity: object, options: Pick<RequestOptions, "signal"> = {}): Promise<number> {
    return removeFamily(this.#parts, this.#tracker.open().tracked(entity, "removeFamily"), options);
  }

  /**
   * Reads an entity again. By default, the stored values replace all edits. With `preserveChanges`, edits stay, and
   * `entry(entity).conflicts` lists the properties that were changed on both sides. If the entity is no longer stored,
   * it is detached; an added entity stays added while its key is free.
   *
   * ```ts
   * await elsewhere((stored) => (stored.text = "Theirs"));
   * await context.reload(blog);
   * console.log(blog.text); // → Theirs
   * ```
   *
   * @throws StateError `entity.not-tracked`, `entity.in-flight`; KindError if the key now belongs to another kind
   */
  async reload(entity: object, options: ReloadOptions = {}): Promise<void> {
    const tracker = this.#tracker.open();
    checkReloadOptions(options);
    const { mergeOption = "overwriteChanges", ...request } = options;
    const tracked = tracker.tracked(entity, "reload");
    await this.#parts.reader.reload(tracked, mergeOption === "preserveChanges", request);
  }

  /**
   * Resolves a conflict: reads the stored row, and keeps your edits on top of it (`mine`), drops them (`theirs`), or
   * calls your function for each property that was changed on both sides. The next save then writes under the new ETag.
   * If the entity is no longer stored, `theirs` detaches it and `mine` adds it again; a delete needs no further save
   * then.
   *
   * ```ts
   * await elsewhere((stored) => (stored.text = "Theirs"));
   * blog.text = "Mine";
   * await context.saveChanges().catch(() => context.resolveConflict(blog, "mine"));
   * await context.saveChanges();
   * ```
   *
   * @throws as `reload` does; StateError `entity.not-loaded` if it would be added again but was not completely loaded;
   *   `entity.nothing-to-choose` if a function is given but only one side exists
   */
  async resolveConflict(
    entity: object,
    resolution: ConflictResolution,
    options?: RequestOptions,
  ): Promise<void> {
    await resolveConflict(this.#parts.reader, this.#tracker.open(), entity, resolution, options);
  }

  /**
   * Finds out the outcome of changes that a save reported as unknown, by reading their rows; it writes nothing. A
   * request that is not stored yet may still be applied for a minute after it was sent. Until then its outcome stays
   * `unknown`; with `wait: true`, the call waits for that minute to pass. A `rejected` change is pending again, in the
   * state that it had before the save.
   *
   * ```ts
   * for (const { outcome } of await context.resolveInDoubt({ wait: true })) console.log(outcome);
   * ```
   *
   * @returns one result per entity with an unknown outcome
   * @throws StateError `entity.not-tracked`, `context.reentrant-save`
   */
  async resolveInDoubt(options: ResolveOptions = {}): Promise<readonly SaveResult[]> {
    const tracker = this.#tracker.open();
    checkNotInside(this, "resolveInDoubt()");
    const checked = checkResolveOptions(options, tracker);
    return this.#inTurn(async () => {
      const results = await resolveInDoubt(this.#parts, checked);
      const committed = results.filter(({ outcome }) => outcome === "committed");
      checkLateErrors(this.#parts.lateErrors, committed);
      return results;
    });
  }

  /** Saves and calls of `resolveInDoubt` wait for each other. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#saves.then(work);
    // The queue drops the results, which would otherwise keep every saved entity alive.
    this.#saves = turn.then(ignore, ignore);
    return turn;
  }

  /**
   * Finds one entity by its key: among the tracked entities first, then by a point read. A removed entity is not found.
   * If a projected query read only part of the entity, the rest is read too. If the key holds only a part of a value,
   * such as the month of a date, only that part is compared. With `include`, its children are read with it, as one key
   * range.
   *
   * ```ts
   * const blog = await context.find(Blog, { channel, postedOn });
   * console.log(blog?.text); // → First
   * ```
   *
   * @throws KeyError `key.missing-part` if the key lacks a part; KindError if the key belongs to another kind;
   *   ModelError `model.children`; StateError `context.scope` for a key or a class outside of the context's scope
   */
  async find<
    const Class extends EntityClass,
    const Name extends ChildrenOf<InstanceType<Class>> & string = never,
  >(
    entityClass: Class,
    key: KeyOf<NoInfer<Class>>,
    options: FindOptions & IncludedLists<Name> = noOptions,
  ): Promise<WithChildren<InstanceType<Class>, InstanceType<Class>, Name> | undefined> {
    this.#tracker.entities.checkOpen();
    const model = modelOf(entityClass);
    checkKeyValues("find(Class, key)", model, key);
    const own = this.#tracker.scope.fill(model, key);
    if (options !== noOptions) checkFindOptions(options);
    const { include } = options;
    const found =
      include === undefined
        ? this.#parts.reader.find(entityClass, model, keysOfEntity(model, own), options)
        : findWithChildren(this.query(entityClass), own, [include].flat(), options);
    return (await found) as never;
  }

  /**
   * Finds several entities of one class by their keys: each among the tracked entities first, then by a point read. Up
   * to 16 are read at a time, and equal keys only once. Keys that end with a `padded` number and lie close together are read
   * as one key range, if no more than twice as many rows can lie in it.
   *
   * ```ts
   * const keys = [3, 1, 9].map((day) => ({ channel, postedOn: new Date(Date.UTC(2008, 9, day)) }));
   * const blogs = await context.findMany(Blog, keys);
   * console.log(blogs.map((each) => each?.postedOn.getUTCDate())); // → [ 3, 1, undefined ]
   * ```
   *
   * @returns the entities in the order of the keys; undefined for a key that has no stored entity
   * @throws as `find` does
   */
  async findMany<
    const Class extends EntityClass,
    const Name extends ChildrenOf<InstanceType<Class>> & string = never,
  >(
    entityClass: Class,
    keys: readonly KeyOf<NoInfer<Class>>[],
    options: FindOptions & IncludedLists<Name> = {},
  ): Promise<(WithChildren<InstanceType<Class>, InstanceType<Class>, Name> | undefined)[]> {
    this.#tracker.entities.checkOpen();
    const model = modelOf(entityClass);
    checkKeyList("findMany(Class, keys)", model, keys);
    checkFindOptions(options, "findMany(Class, keys, options)");
    const own = keys.map((key) => this.#tracker.scope.fill(model, key));
    const { include, ...how } = options;
    const withLists =
      include && ((key: object) => this.find(entityClass, key as KeyOf<NoInfer<Class>>, options));
    return (await findMany(this.#parts, entityClass, own, how, withLists)) as never;
  }

  /**
   * Reads an entity, changes it and saves it alone. On a conflict, it reads the entity again and retries, so the change
   * must only depend on the entity it is given. Calls for the same key wait for each other. `change` must not call
   * `modify` itself.
   *
   * ```ts
   * await context.modify(Account, { bank: "b", id: "1" }, (account) => {
   *   account.balance -= 10;
   * });
   * ```
   *
   * @param options - `attempts`: the maximum number of attempts; default 5. `create`: the values of a new entity, where
   *   none is stored; `change` is called for it, too. `include`: lists that are read and saved with the entity
   * @returns the saved entity; undefined if it is not stored and `create` is absent (then `change` was not called), or
   *   if it no longer exists on a retry
   * @throws SaveError if the last attempt failed too; StateError `entity.pending-changes` if the entity has other
   *   changes
   */
  async modify<
    const Class extends EntityClass,
    const Name extends ChildrenOf<InstanceType<Class>> & string = never,
  >(
    entityClass: Class,
    key: KeyOf<NoInfer<Class>>,
    change: (
      entity: WithChildren<InstanceType<Class>, InstanceType<Class>, NoInfer<Name>>,
    ) => void | Promise<void>,
    options: ModifyOptions<Class> & IncludedLists<Name> = {},
  ): Promise<WithChildren<InstanceType<Class>, InstanceType<Class>, Name> | undefined> {
    this.#tracker.entities.checkOpen();
    this.#modifier ??= new EntityModifier(this.#parts);
    return this.#modifier.modify(entityClass, key, change as never, options as ModifyOptions) as never;
  }

  /**
   * Starts a query for entities of one class and the kinds below it, or of several classes that share a table.
   *
   * ```ts
   * const blogs = await context.query(Blog).where({ channel }).toArray();
   * console.log(blogs.length); // → 3
   * ```
   */
  query<Entity extends object>(entityClass: EntityClass<Entity>): Query<Entity>;
  query<const Classes extends readonly EntityClass[]>(
    entityClasses: Classes,
  ): Query<InstanceType<Classes[number]>>;
  /** An entity, or anything else that is no class of entities, does not compile. */
  query(
    entity: object & NoClass,
  ): ModelError<"a query takes a class of entities, as in query(Blog), or a list of them">;
  query(asked: object, ...others: unknown[]): never {
    this.#tracker.entities.checkOpen();
    if (others.length > 0) throw notOneClass();
    const chooser = kindChooser((Array.isArray(asked) ? asked : [asked]) as EntityClass[]);
    const source = querySourceOf(this.#parts, chooser);
    return new Query(source, {
      conditions: new Conditions(source.scope?.conditions),
      mergeOption: this.#parts.options.mergeOption ?? "appendOnly",
      mayScan: false,
    }) as never;
  }

  /**
   * Returns the distinct PartitionKeys in which a class has an entity, in key order and as they are stored. Each costs one
   * short request that begins after the one before it, so the entities in between are not read.
   *
   * ```ts
   * for await (const partition of context.partitions(Blog)) console.log(partition); // → Channel9
   * ```
   *
   * @param equalTo - values of key parts or other properties that narrow the search
   * @throws OptionError; as `where` does
   */
  partitions<Entity extends object>(
    entityClass: EntityClass<Entity>,
    equalTo?: EqualTo<NoInfer<Entity>>,
    options?: ReadOptions,
  ): AsyncGenerator<string> {
    const query = this.query(entityClass);
    return (equalTo === undefined ? query : query.where(equalTo)).partitions(options);
  }

  /**
   * Saves all pending changes. They are grouped by table and partition into entity group transactions of at most 100
   * operations and 4 MiB. Each transaction is atomic; several are not atomic together. Calls are queued, and each
   * computes its changes when it starts. If an earlier save left changes in doubt, they are resolved first.
   *
   * ```ts
   * blog.rating = 5;
   * const results = await context.saveChanges();
   * console.log(results.map(({ operation, outcome }) => `${operation} ${outcome}`)); // → [ 'merge committed' ]
   * ```
   *
   * @returns one result per change; if nothing changed, the list is empty and no request is sent
   * @throws SaveError if a change was refused or its outcome is unknown; the other changes are stored, and the context
   *   stays usable. StateError `context.reentrant-save` if called from inside a hook
   */
  async saveChanges(options?: SaveOptions): Promise<readonly SaveResult[]> {
    const tracker = this.#tracker;
    tracker.entities.checkOpen();
    checkNotInside(this, "saveChanges()");
    const checked = options === undefined ? initialSave : checkSaveOptions(options, tracker);
    const caller = showsWaiting ? undefined : callerOf(this, "saveChanges");
    try {
      return await this.#inTurn(() => saveTracked(this.#parts, checked));
    } catch (error) {
      if (SaveError.is(error)) {
        addCaller(error, caller ?? callerOf(this, "saveChanges"));
        noteRefused(error, tracker);
      }
      throw error;
    }
  }

  /**
   * Waits for running saves and closes the context. Pending changes are not saved: a process warning `PARTITA_UNSAVED`
   * counts them, except those that the last save refused and reported. In development, it also comes for contexts
   * that were not closed, when they are collected or the program ends.
   *
   * ```ts
   * {
   *   await using own = new TableContext(storage);
   *   own.create(Blog, { channel, postedOn: new Date(), text: "Now" });
   *   await own.saveChanges();
   * } // the context is closed here
   * ```
   */
  async [Symbol.asyncDispose](): Promise<void> {
    checkNotInside(this, "Closing the context");
    this.#tracker.entities.close();
    await this.#saves;
    endWatch(this.#tracker);
    this.#tracker.clear();
  }
}

/** An object that is neither a class nor a list of classes: both have a length. */
interface NoClass {
  readonly length?: never;
}

const ignore = (): void => undefined;

/** The default when a call names no options; it needs no checks. */
const noOptions: FindOptions = {};
