import type { UndeclaredPolicy } from "../../model/declaration/undeclared-policy.ts";
import type { IndexStates } from "../../model/schema/index-states.ts";
import type { Outcome, RecoverySource } from "../recovery/outcome.ts";
import type { EntryResult } from "../recovery/resolve-attempts.ts";
import type { ContextHooks, HookContext } from "../unit-of-work/hooks.ts";
import type { PendingEntity } from "../unit-of-work/change-set.ts";
import type { StoredBefore } from "../unit-of-work/index-rows.ts";
import type { PendingSearch } from "../unit-of-work/pending-search.ts";
import type { ChangeSet, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { Write } from "../recovery/attempt.ts";
import type { CheckedOptions } from "./save-options.ts";
import type { EntityValidator } from "./validator.ts";

/** The parts of a context that a save uses. */
export interface SaveSource extends RecoverySource {
  /** Passed to hooks and validators. */
  readonly context: HookContext;
  /** Whether there are callbacks: code that runs during the save of its own context, and must not save itself. */
  readonly runsCallbacks: boolean;
  readonly hooks: ContextHooks;
  /** Whether the unique indexes of a class have been built. */
  readonly indexStates: IndexStates;
  /** Undefined without validators, so validation has no cost. */
  readonly validators: readonly EntityValidator[] | undefined;
  /** The policy for undeclared values, for classes without their own policy. */
  readonly undeclared: UndeclaredPolicy;
}

/** One save, from pending entities to their outcomes: each stage fills in its part. */
export interface Save {
  readonly source: SaveSource;
  readonly options: CheckedOptions;
  readonly search: PendingSearch;
  /** Entities to send, as found by the latest comparison. */
  ready: readonly PendingEntity[];
  /** Changes of earlier saves that turned out to be stored. */
  resolved: readonly EntryResult[];
  /** Entities that must not be sent, with their results. */
  readonly blocked: Map<TrackedEntity, EntryResult>;
  /** The stored rows of entities that lack values for writing their index rows. */
  before: ReadonlyMap<TrackedEntity, StoredBefore>;
  /** The changes that are sent. */
  changes: readonly ChangeSet[];
  batches: readonly Write[];
  /** The time of the save, once a property asked for it. */
  time?: number;
  /** Entities with values that the save assigned. */
  filled?: Set<TrackedEntity>;
  /** The outcomes of the changes; a stage that sets them ends the save. */
  outcomes: readonly Outcome[] | undefined;
}

/**
 * Finds the entities to send again.
 *
 * @param isAnew - whether the program's code ran, which may have changed any entity
 */
export function findReady(save: Save, isAnew = false): readonly PendingEntity[] {
  const { search, blocked } = save;
  const found = isAnew ? search.everything() : search.again();
  save.ready = blocked.size === 0 ? found : found.filter(({ entry }) => !blocked.has(entry));
  return save.ready;
}

export const entriesOf = (pending: readonly PendingEntity[]): TrackedEntity[] =>
  pending.map(({ entry }) => entry);
