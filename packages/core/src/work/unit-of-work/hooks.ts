import { AsyncLocalStorage } from "node:async_hooks";
import { StateError } from "../../values/errors/state-error.ts";
import type { SentRequest } from "../../storage/tracing/trace-events.ts";
import type { SaveResult } from "./save-result.ts";
import type { StorageError } from "../../values/errors/storage-error.ts";
import type { EntityEntry } from "./entity-entry.ts";
import type { EntityState } from "./tracked-entity.ts";

/** What a `saving` hook may do in the context that saves. */
export interface HookContext {
  add<Entity extends object>(entity: Entity): Entity;
  remove(entity: object): void;
  entry(entity: object): EntityEntry;
}

/** One request that was answered, or failed. */
export interface ReceivedResponse extends SentRequest {
  readonly durationMs: number;
  /** Rows of a read. */
  readonly entities?: number;
  /** What went wrong; absent after success. */
  readonly error?: StorageError;
}

/**
 * What a context reports, and asks, on the way. Hooks may be async, `materialized` excepted. None may call
 * `saveChanges()` of its own context.
 */
export interface ContextHooks {
  /** Before each request; throwing keeps it from being sent. */
  readonly sending?: ((request: SentRequest) => void | Promise<void>) | undefined;
  /** After each request. What a write did is recorded already: throwing does not undo it. */
  readonly received?: ((response: ReceivedResponse) => void | Promise<void>) | undefined;
  /** An instance was built from a row. */
  readonly materialized?: ((entity: object) => void) | undefined;
  /**
   * Before a save looks at an entity with changes; may change it, and add or remove others through `context`, which are
   * saved along: the context that saves, which for `updateAll` and `removeAll` is one of its own. Throwing stops the save
   * before anything is sent.
   */
  readonly saving?:
    | ((entity: object, state: EntityState, context: HookContext) => void | Promise<void>)
    | undefined;
  /** What became of one change. Throwing does not undo it. */
  readonly saved?: ((result: SaveResult) => void | Promise<void>) | undefined;
}

/** The hooks as they are when a context is made, be they methods of a class; what is assigned later does not count. */
export const hooksOf = (hooks: ContextHooks | undefined): ContextHooks => {
  if (hooks === undefined) return noHooks;
  const { sending, received, materialized, saving, saved } = hooks;
  return { sending, received, materialized, saving, saved };
};

const noHooks: ContextHooks = {};

/** Whether a context has any hook. */
export const hasHooks = (hooks: ContextHooks): boolean =>
  Object.values(hooks).some((hook) => hook !== undefined);

/** Calls that a caller's own code is inside of: innermost first. */
interface Inside {
  readonly context: object;
  readonly outer: Inside | undefined;
  isOver: boolean;
}

const inside = new AsyncLocalStorage<Inside>();

/** Runs a caller's code so that a save of the same context from inside it is recognized. */
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

/** @throws StateError `context.reentrant-save` when the caller is inside a hook of this context: it would wait for itself */
export function checkNotInside(context: object, method: string): void {
  for (let frame = inside.getStore(); frame !== undefined; frame = frame.outer) {
    if (frame.context === context && !frame.isOver)
      throw new StateError(
        "context.reentrant-save",
        `${method} was called from inside a hook, a validator or a modify() of the same context, and would wait for itself. Change entities there; what "saving" hooks change is saved along.`,
        { method },
      );
  }
}
