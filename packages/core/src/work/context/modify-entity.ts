import { checkKeyValues, keyOfEntity } from "../../model/codec/entity-key.ts";
import { addCaller, callerOf } from "../../values/errors/caller.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import type { KeyOf } from "../../model/declaration/entity-shape.ts";
import { modelOf } from "../../model/declaration/model-registry.ts";
import { checkNotInside, runInside } from "../unit-of-work/hooks.ts";
import { abortSignal, aFunction, wholeNumber } from "../../values/options/checks.ts";
import { checkArgument, type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { SaveError } from "../save/save-error.ts";
import type { EntityEntry } from "../unit-of-work/entity-entry.ts";
import type { ContextParts } from "./context-parts.ts";

/** Options of `modify`. */
export interface ModifyOptions {
  /** Maximum number of attempts, including the first; default 5. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<ModifyOptions>("modify(Class, key, change, options)", {
  attempts: wholeNumber(1),
  signal: abortSignal,
});

/** The `modify` of one context: calls for one key run one after another. */
export class EntityModifier {
  readonly #parts: ContextParts;
  /** The last running call for each key. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: ContextParts) {
    this.#parts = parts;
  }

  async modify<const Class extends EntityClass>(
    entityClass: Class,
    key: KeyOf<NoInfer<Class>>,
    change: (entity: InstanceType<Class>) => void | Promise<void>,
    options: ModifyOptions,
  ): Promise<InstanceType<Class> | undefined> {
    // A call inside another could wait for itself.
    checkNotInside(this.#running, "modify()");
    const { context } = this.#parts;
    const caller = callerOf(context, "modify");
    const model = modelOf(entityClass);
    checkKeyValues("modify(Class, key, change)", model, key);
    checkArgument("modify(Class, key, change)", change, {
      ...aFunction,
      takes: "a function: (entity) => { … }",
    });
    const { partitionKey, rowKey } = keyOfEntity(model, key);
    // A row that is left out would look like one that is not stored.
    const request = { ...(options.signal && { signal: options.signal }), unreadableRows: "error" } as const;
    const inside = (entity: InstanceType<Class>): Promise<void> =>
      runInside(this.#running, async () => change(entity));
    try {
      return await this.#inTurn(`${model.table}\0${partitionKey}\0${rowKey}`, () =>
        modifyEntity(this.#parts, () => context.find(entityClass, key, request), inside, options),
      );
    } catch (error) {
      if (SaveError.is(error)) addCaller(error, caller);
      throw error;
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

/** Reads, changes and saves one entity, and retries on a conflict. */
async function modifyEntity<Entity extends object>(
  { context, tracker }: ContextParts,
  find: () => Promise<Entity | undefined>,
  change: (entity: Entity) => void | Promise<void>,
  options: ModifyOptions,
): Promise<Entity | undefined> {
  checkOptions(options);
  const { attempts = 5, signal } = options;
  const entity = await find();
  if (entity === undefined) return undefined;
  const entry = context.entry(entity);
  checkClean(entry);
  const isComplete = tracker.entities.ofEntity(entity)?.snapshot?.isComplete === true;
  // The change must see the complete row, which was not read of an attached entity, and be saved under an ETag.
  if (entry.etag === "*" || !isComplete) await context.reload(entity);
  let edited: readonly string[] = [];
  for (let attempt = 1; isTracked(entry); attempt++) {
    try {
      await change(entity);
      const own = entry.changedProperties;
      edited = own;
      // With explicit tracking, only properties that are named count as edited.
      if (entry.state === "unchanged" && own.length > 0) context.update(entity, ...(own as never[]));
      await context.saveChanges({ only: [entity], ...(signal && { signal }) });
      return entity;
    } catch (error) {
      // A partial change, or one that cannot be saved, must not stay for the next save; a change with an unknown
      // outcome must.
      if (!isConflict(error) || attempt === attempts) {
        if (!entry.inDoubt && isTracked(entry)) context.discard(entity);
        throw error;
      }
    }
    await pause(attempt);
    checkOwnEdits(entry, edited);
    try {
      await context.reload(entity);
    } catch (error) {
      if (isTracked(entry)) context.discard(entity);
      throw error;
    }
  }
  // Another writer deleted it.
  return undefined;
}

const isTracked = ({ state }: EntityEntry): boolean => state !== "detached";

/** A reload on a conflict would drop changes that `modify` did not make. */
function checkClean({ state, inDoubt }: EntityEntry): void {
  if (state === "unchanged" && !inDoubt) return;
  throw new StateError(
    "entity.pending-changes",
    `modify() works on an entity without other changes, and this one is ${inDoubt ? "in doubt since the last save" : state}. Save or discard() them first.`,
    { state },
  );
}

/** The reload before a retry would drop edits that other code made to the same instance in the meantime. */
function checkOwnEdits({ changedProperties }: EntityEntry, own: readonly string[]): void {
  const others = changedProperties.filter((name) => !own.includes(name));
  if (others.length === 0) return;
  throw new StateError(
    "entity.pending-changes",
    `modify() was to try again on what is stored by now, but ${others.join(", ")} of the same entity was edited meanwhile, which would be lost. Save or discard() that first, or use a context of its own.`,
    { properties: others },
  );
}

/**
 * Only a definite refusal may be retried: after an unknown outcome, a retry could make the change twice. A unique value
 * that is taken would still be taken on a retry.
 */
const isConflict = (error: unknown): boolean =>
  SaveError.is(error) &&
  error.results.every(
    ({ outcome, error: cause }) =>
      outcome === "rejected" && ConflictError.is(cause) && cause.reason !== "unique",
  );

/** Waits a random part of a growing delay, since writers with the same delay would conflict again. */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(500, 5 * 2 ** attempt)));
