import { ConflictError } from "../errors/conflict-error.ts";
import { SaveError } from "../save/save-error.ts";
import { StateError } from "../errors/state-error.ts";
import { checkOptions } from "../errors/unknown-option.ts";
import type { EntityEntry } from "../unit-of-work/entity-entry.ts";
import type { SaveOptions } from "../save/save-options.ts";

/** How `modify` tries. */
export interface ModifyOptions {
  /** Tries in all, the first included; default 5. */
  readonly attempts?: number;
  readonly signal?: AbortSignal;
}

/** What `modify` needs of its context. */
interface Modifier {
  entry(entity: object): EntityEntry;
  reload(entity: object): Promise<void>;
  discard(entity: object): void;
  update(entity: object, ...properties: never[]): void;
  saveChanges(options: SaveOptions): Promise<unknown>;
}

/** Where the entity comes from. */
export interface ModifySource<Entity> {
  readonly find: () => Promise<Entity | undefined>;
  /** Whether all of its row was read; an attached entity's was not. */
  readonly isWhole: (entity: Entity) => boolean;
}

/** Reads, changes and saves one entity, again on what is stored by then while others change it in between. */
export async function modifyEntity<Entity extends object>(
  context: Modifier,
  { find, isWhole }: ModifySource<Entity>,
  change: (entity: Entity) => void | Promise<void>,
  options: ModifyOptions,
): Promise<Entity | undefined> {
  checkOptions("modify(Class, key, change, options)", options, ["attempts", "signal"]);
  const { attempts = 5, signal } = options;
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new StateError("context.option", "modify({ attempts }) takes a whole number, 1 or more.");
  const entity = await find();
  if (entity === undefined) return undefined;
  const entry = context.entry(entity);
  checkClean(entry);
  // A change is to be decided on all of what is stored, under a version.
  if (entry.etag === "*" || !isWhole(entity)) await context.reload(entity);
  let edited: readonly string[] = [];
  for (let attempt = 1; isTracked(entry); attempt++) {
    try {
      await change(entity);
      const own = entry.changedProperties;
      edited = own;
      // With explicit tracking, edits count once they are named.
      if (entry.state === "unchanged" && own.length > 0) context.update(entity, ...(own as never[]));
      await context.saveChanges({ only: [entity], ...(signal && { signal }) });
      return entity;
    } catch (error) {
      // Half a change, or one that cannot be saved, is not left to the next save; an unknown one is.
      if (!isConflict(error) || attempt === attempts) {
        if (!entry.uncertain && isTracked(entry)) context.discard(entity);
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
  // Somebody removed it.
  return undefined;
}

const isTracked = ({ state }: EntityEntry): boolean => state !== "detached";

/** A reload on a conflict would drop changes that are not `modify`'s own. */
function checkClean({ state, uncertain }: EntityEntry): void {
  if (state === "unchanged" && !uncertain) return;
  throw new StateError(
    "entity.pending-changes",
    `modify() works on an entity without other changes, and this one is ${uncertain ? "uncertain since the last save" : state}. Save or discard() them first.`,
    { state },
  );
}

/** What others have edited on the same instance meanwhile would be lost by reading it anew. */
function checkOwnEdits({ changedProperties }: EntityEntry, own: readonly string[]): void {
  const others = changedProperties.filter((name) => !own.includes(name));
  if (others.length === 0) return;
  throw new StateError(
    "entity.pending-changes",
    `modify() was to try again on what is stored by now, but ${others.join(", ")} of the same entity was edited meanwhile, which would be lost. Save or discard() that first, or use a context of its own.`,
    { properties: others },
  );
}

/** Only a certain refusal may be tried again: an unknown outcome could make the change twice. */
const isConflict = (error: unknown): boolean =>
  error instanceof SaveError &&
  error.results.every(
    ({ outcome, error: cause }) => outcome === "rejected" && cause instanceof ConflictError,
  );

/** A random part of a growing wait, so that writers who met once do not meet again. */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(500, 5 * 2 ** attempt)));
