import { warnOnce } from "../../values/errors/warn-once.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";

/** Above this number of entities, repeated saves that compare all of them are slow. */
const manyEntities = 50_000;
export const manySaves = 100;

/**
 * Warns once about a context that is saved repeatedly while it tracks many entities, since each save compares all of
 * them. Called for saves without `only` if there are many entities.
 */
export function warnOfLargeContext(tracker: ChangeTracker): void {
  if (tracker.entities.size <= manyEntities) return;
  warnOnce(
    tracker,
    "PARTITA_LARGE_CONTEXT",
    () =>
      `A context tracks ${tracker.entities.size} entities and was saved ${tracker.fullSaves} times, and each save compares all of them. Make a new TableContext for each piece of work, detach(entity) when you are done with it, name the changed entities with saveChanges({ only }), or use tracking: "explicit".`,
  );
}
