import { AsyncLocalStorage } from "node:async_hooks";
import { StateError } from "../../values/errors/state-error.ts";
import type { SentRequest } from "../../storage/tracing/trace-events.ts";
import type { SaveResult } from "./save-result.ts";
import type { StorageError } from "../../values/errors/storage-error.ts";
import type { EntityEntry } from "./entity-entry.ts";
import type { EntityState } from "./tracked-entity.ts";

/** The methods of the saving context that a `saving` hook may call. */
export interface HookContext {
  add<Entity extends object>(entity: Entity): Entity;
  remove(entity: object): void;
  entry(entity: object): EntityEntry;
}

/** One request that got a response or failed. */
export interface ReceivedResponse extends SentRequest {
  readonly durationMs: number;
  /** Number of rows, for a read. */
  readonly entities?: number;
  /** The error; absent after success. */
  readonly error?: StorageError;
}

/**
 * Functions that a context calls while it works. Hooks may be async, except `materialized`. A hook must not call
 * `saveChanges()` of its own context.
 */
export interface ContextHooks {
  /**
   * Called before each request. If it throws, the request is not sent.
   *
   * ```ts
   * const sending = ({ type, table }: { type: string; table: string }) => console.log(type, table);
   * const context = new TableContext(storage, { hooks: { sending } });
   * ```
   */
  readonly sending?: ((request: SentRequest) => void | Promise<void>) | undefined;
  /**
   * Called after each request. The outcome of a write is already recorded: throwing does not undo it.
   *
   * ```ts
   * let entities = 0;
   * const context = new TableContext(storage, {
   *   hooks: { received: (response) => void (entities += response.entities ?? 0) },
   * });
   * await context.query(Blog).where({ channel }).toArray();
   * console.log(entities); // → 3
   * ```
   */
  readonly received?: ((response: ReceivedResponse) => void | Promise<void>) | undefined;
  /**
   * Called when an instance was built from a row.
   *
   * ```ts
   * const context = new TableContext(storage, {
   *   hooks: { materialized: (entity) => console.log(entity.constructor.name) },
   * });
   * await context.find(Blog, { channel, postedOn }); // → Blog
   * ```
   */
  readonly materialized?: ((entity: object) => void) | undefined;
  /**
   * Called for each entity with changes before the save computes them. The hook may change the entity, and add or
   * remove others through `context`; these are saved too. `context` is the context that saves: `updateAll` and
   * `removeAll` use a separate one. If the hook throws, the save stops before any request is sent.
   *
   * ```ts
   * const context = new TableContext(storage, {
   *   hooks: {
   *     saving: (entity, state) => {
   *       if (entity instanceof Blog && state === "added") entity.author ??= "Ann";
   *     },
   *   },
   * });
   * ```
   */
  readonly saving?:
    | ((entity: object, state: EntityState, context: HookContext) => void | Promise<void>)
    | undefined;
  /**
   * Called with the result of each change. Throwing does not undo the change.
   *
   * ```ts
   * const context = new TableContext(storage, {
   *   hooks: { saved: ({ operation, outcome }) => console.log(operation, outcome) },
   * });
   * ```
   */
  readonly saved?: ((result: SaveResult) => void | Promise<void>) | undefined;
}

/**
 * Reads the hooks when a context is made, including hooks that are methods of a class. Later assignments have no
 * effect.
 */
export const hooksOf = ({
  sending,
  received,
  materialized,
  saving,
  saved,
}: ContextHooks = {}): ContextHooks => ({ sending, received, materialized, saving, saved });

/** Whether a context has any hook. */
export const hasHooks = (hooks: ContextHooks): boolean =>
  Object.values(hooks).some((hook) => hook !== undefined);

/** A frame of the caller's own code that is running inside a context, linked to the frame around it. */
interface Inside {
  readonly context: object;
  readonly outer: Inside | undefined;
  isOver: boolean;
}

const inside = new AsyncLocalStorage<Inside>();

/** Runs a caller's code so that `checkNotInside` recognises calls from inside it. */
export async function runInside<Result>(
  context: object,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  const frame: Inside = { context, outer: inside.getStore(), isOver: false };
  try {
    return await inside.run(frame, run);
  } finally {
    frame.isOver = true;
  }
}

/**
 * @throws StateError `context.reentrant-save` if the caller is inside a hook of this context: the call would wait for
 *   itself
 */
export function checkNotInside(context: object, method: string): void {
  if (!isInside(context)) return;
  throw new StateError(
    "context.reentrant-save",
    `${method} was called inside a hook, a validator, a modify() or the function of a work() of the same context, which saves by itself. Only change entities there: changes made by "saving" hooks are saved with the others.`,
    { method },
  );
}

/** Whether this context's callbacks, started by `runInside`, are running in the current call chain. */
export function isInside(context: object): boolean {
  for (let frame = inside.getStore(); frame !== undefined; frame = frame.outer)
    if (frame.context === context && !frame.isOver) return true;
  return false;
}
