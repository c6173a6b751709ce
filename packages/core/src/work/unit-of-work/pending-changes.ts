import { noChanges } from "../../model/codec/comparison.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { changesOf } from "./entity-state.ts";
import { type EntityState, isExplicitlyModified, type TrackedEntity } from "./tracked-entity.ts";

/** The effect of the next save on one entity. */
export interface PendingChange {
  readonly entity: object;
  /** Class, table and key, for messages. */
  readonly subject: string;
  readonly state: EntityState;
  /** Properties with another value than the stored one, or named by `update()`; empty unless modified. */
  readonly assigned: readonly string[];
  /** Stored properties that were set to undefined: the save then replaces the complete row. */
  readonly cleared: readonly string[];
}

/** Every pending change, in the order in which the entities were tracked. */
export const pendingChanges = (tracker: ChangeTracker): PendingChange[] =>
  tracker.pending().map((entry) => describe(entry, tracker.stateOf(entry)));

function describe(entry: TrackedEntity, state: EntityState): PendingChange {
  const { entity, model, key, intent } = entry;
  const { assigned, cleared } = intent.type === "none" ? changesOf(entry) : noChanges;
  const namesAt = (isAt: (i: number) => boolean): string[] =>
    model.properties.filter((_, i) => isAt(i)).map(({ name }) => name);
  return {
    entity,
    subject: subjectOf(model, key),
    state,
    assigned: namesAt(
      (i) => assigned.includes(i) || (isExplicitlyModified(entry, i) && !cleared.includes(i)),
    ),
    cleared: namesAt((i) => cleared.includes(i)),
  };
}
