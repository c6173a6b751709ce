import { checkKeyValues, keyOfEntity } from "../../model/codec/entity-key.ts";
import { addCaller, addWaiting, callerOf } from "../../values/errors/caller.ts";
import { StateError } from "../../values/errors/state-error.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import type { KeyOf, NewOf } from "../../model/declaration/entity-shape.ts";
import { modelOf } from "../../model/declaration/model-registry.ts";
import { checkNotInside, runInside } from "../unit-of-work/hooks.ts";
import { abortSignal, aFunction, wholeNumber } from "../../values/options/checks.ts";
import { checkArgument, type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { changeBy } from "./change-by.ts";
import { SaveError } from "../save/save-error.ts";
import type { EntityEntry } from "../unit-of-work/entity-entry.ts";
import { compareLists, withMembers } from "../unit-of-work/compare-lists.ts";
import type { ContextParts } from "./context-parts.ts";
import { isCertainConflict, pauseBefore } from "./retry-conflicts.ts";
import { type IncludedLists, listNames } from "./entity-reader.ts";

/** Options of `modify`. */
export interface ModifyOptions<Class extends EntityClass = EntityClass> {
  /**
   * Maximum number of attempts, including the first: 1 or more; default 5.
   *
   * ```ts
   * const raise = (blog: Blog): void => void (blog.rating += 1);
   * await context.modify(Blog, { channel, postedOn }, raise, { attempts: 10 });
   * ```
   */
  readonly attempts?: number | undefined;
  /**
   * The values of a new entity, without its key, if none is stored; `change` is then called for it, too.
   *
   * ```ts
   * const key = { bank: "b", id: "2" };
   * const create = () => ({ balance: 0 });
   * await context.modify(Account, key, (account) => void (account.balance += 10), { create });
   * ```
   */
  readonly create?: (() => Partial<NewOf<Class>>) | undefined;
  /**
   * Cancels the call: its requests and its further attempts.
   *
   * ```ts
   * const raise = (blog: Blog): void => void (blog.rating += 1);
   * await context.modify(Blog, { channel, postedOn }, raise, { signal: AbortSignal.timeout(5000) });
   * ```
   */
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<ModifyOptions & IncludedLists<string>>(
  "modify(Class, key, change, options)",
  { attempts: wholeNumber(1), create: aFunction, include: listNames, signal: abortSignal },
);

/** The `modify` calls of one context. Calls for the same key run one after another. */
export class EntityModifier {
  readonly #parts: ContextParts;
  /** The last running call for each key. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: ContextParts) {
    this.#parts = parts;
  }

  async modify<const Class extends EntityClass>(
    entityClass: Class,
    given: KeyOf<NoInfer<Class>>,
    change: (entity: InstanceType<Class>) => void | Promise<void>,
    options: ModifyOptions<Class> & IncludedLists<string>,
  ): Promise<InstanceType<Class> | undefined> {
    // A call inside another one could wait for itself.
    checkNotInside(this.#running, "modify()");
    const { context, tracker } = this.#parts;
    const caller = callerOf(context, "modify");
    const model = modelOf(entityClass);
    checkKeyValues("modify(Class, key, change)", model, given);
    const key = tracker.scope.fill(model, given);
    checkArgument("modify(Class, key, change)", change, {
      ...aFunction,
      takes: "a function: (entity) => { … }",
    });
    checkOptions(options);
    const { partitionKey, rowKey } = keyOfEntity(model, key);
    const { create, include, signal } = options;
    // A skipped row would look like one that is not stored.
    const request = {
      ...(signal && { signal }),
      ...(include !== undefined && { include: include as never }),
      unreadableRows: "error",
    } as const;
    const work: ModifiedEntity = {
      find: (mergeOption) =>
        context.find(entityClass, key, { ...request, ...(mergeOption && { mergeOption }) }),
      create: create && (() => context.create(entityClass, { ...create(), ...key } as never)),
      change: (entity) => runInside(this.#running, () => changeBy("modify()", entity, change)),
      hasLists: include !== undefined,
    };
    try {
      const turn = this.#inTurn(`${model.table}\0${partitionKey}\0${rowKey}`, () =>
        modifyEntity(this.#parts, work, options),
      );
      return (await turn) as InstanceType<Class> | undefined;
    } catch (error) {
      if (SaveError.is(error)) addCaller(error, caller);
      throw addWaiting(error);
    }
  }

  /** Two concurrent calls would each change values that the other has not saved yet. */
  async #inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#running.get(id) ?? Promise.resolve()).then(work);
    const ended = turn.then(ignore, ignore);
    this.#running.set(id, ended);
    try {
      return await turn;
    } finally {
      if (this.#running.get(id) === ended) this.#running.delete(id);
    }
  }
}

const ignore = (): void => undefined;

/** How the entity is read, created and changed. */
interface ModifiedEntity {
  readonly find: (mergeOption?: "overwriteChanges") => Promise<object | undefined>;
  readonly create: (() => object) | undefined;
  readonly change: (entity: object) => Promise<void>;
  /** Whether its lists are read and saved with it. */
  readonly hasLists: boolean;
}

/** Reads, changes and saves one entity, and retries on a conflict. */
async function modifyEntity(
  parts: ContextParts,
  work: ModifiedEntity,
  options: ModifyOptions,
): Promise<object | undefined> {
  const { attempts = 5 } = options;
  for (let attempt = 1; ;) {
    const stored = await work.find();
    if (stored === undefined && work.create === undefined) return undefined;
    const isNew = stored === undefined;
    const entity = stored ?? (work.create as () => object)();
    const result = await modifyOne(parts, { ...work, entity, isNew, firstAttempt: attempt }, options);
    if (result.isSaved) return entity;
    // Another writer deleted it, or was the first to insert it.
    if (work.create === undefined) return undefined;
    attempt = result.attempt + 1;
    if (attempt > attempts) throw result.error;
    await pauseBefore(attempt);
  }
}

interface ModifiedOnce extends ModifiedEntity {
  readonly entity: object;
  readonly isNew: boolean;
  readonly firstAttempt: number;
}

/** Changes and saves an entity until that succeeds, or it is no longer stored. */
async function modifyOne(
  { context, tracker }: ContextParts,
  { entity, isNew, firstAttempt, find, change, hasLists }: ModifiedOnce,
  { attempts = 5, signal }: ModifyOptions,
): Promise<{ readonly isSaved: boolean; readonly attempt: number; readonly error?: unknown }> {
  const entry = context.entry(entity);
  const family = (): object[] => {
    const tracked = tracker.entities.ofEntity(entity);
    return tracked === undefined ? [] : [...withMembers(tracker, [tracked])].map((each) => each.entity);
  };
  const isStale = (each: object): boolean => tracker.entities.ofEntity(each)?.isStale === true;
  const discard = (): void => {
    // Members go first, since the lists of an entity that is not tracked any more are unknown.
    for (const each of family().toReversed())
      if (tracker.entities.ofEntity(each) !== undefined) context.discard(each);
  };
  if (!isNew) {
    compareLists(tracker, [tracker.tracked(entity, "modify")]);
    for (const each of family()) checkClean(context.entry(each));
    const isComplete = tracker.entities.ofEntity(entity)?.snapshot?.isComplete === true;
    // `change` must see the complete row, which an attached entity does not have, and the save needs an ETag.
    if (entry.etag === "*" || !isComplete) await context.reload(entity);
  }
  let edited: readonly string[] = [];
  let attempt = firstAttempt;
  let error: unknown;
  for (; isTracked(entry); attempt++) {
    try {
      await change(entity);
      const own = entry.changedProperties;
      edited = own;
      // With explicit tracking, only named properties count as edited.
      if (entry.state === "unchanged" && own.length > 0) context.update(entity, ...(own as never[]));
      await context.saveChanges({ only: [entity], ...(signal && { signal }) });
      return { isSaved: true, attempt };
    } catch (thrown) {
      error = thrown;
      // A partial change, or one that cannot be saved, must not stay pending for the next save. A change with an
      // unknown outcome must stay.
      if (!isConflict(thrown) || attempt >= attempts) {
        if (!entry.inDoubt && isTracked(entry)) discard();
        throw thrown;
      }
    }
    if (isNew) {
      discard();
      break;
    }
    await pauseBefore(attempt);
    checkOwnEdits(entry, edited);
    try {
      // The changes to members and lists would be applied twice.
      const members = family().filter((each) => each !== entity);
      if (hasLists || members.length > 0) discard();
      if (!hasLists) for (const each of [entity, ...members.filter(isStale)]) await context.reload(each);
      else if ((await find("overwriteChanges")) === undefined) context.detach(entity);
    } catch (thrown) {
      if (isTracked(entry)) discard();
      throw thrown;
    }
  }
  return { isSaved: false, attempt, error };
}

const isTracked = ({ state }: EntityEntry): boolean => state !== "detached";

/** A reload on a conflict would drop changes that `modify` did not make. */
function checkClean({ state, inDoubt }: EntityEntry): void {
  if (state === "unchanged" && !inDoubt) return;
  throw new StateError(
    "entity.pending-changes",
    `modify() needs an entity without other changes, but this one is ${inDoubt ? "in doubt since the last save" : state}. Save or discard() its changes first.`,
    { state },
  );
}

/** The reload before a retry would drop edits that other code made to the same instance meanwhile. */
function checkOwnEdits({ changedProperties }: EntityEntry, own: readonly string[]): void {
  const others = changedProperties.filter((name) => !own.includes(name));
  if (others.length === 0) return;
  throw new StateError(
    "entity.pending-changes",
    `modify() could not retry with the stored row, since that would lose other edits of the same entity: ${others.join(", ")}. Save or discard() them first, or use a separate context.`,
    { properties: others },
  );
}

/** A duplicate unique value would be refused on a retry as well. */
const isConflict = (error: unknown): boolean =>
  isCertainConflict(error) && error.conflicts.every(({ error: { reason } }) => reason !== "unique");
