import { warnOnce } from "../../values/errors/warn-once.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";

/** More entities than this are compared by each of many saves: then there is a better way. */
const manyEntities = 50_000;
export const manySaves = 100;

/**
 * Warns once about a context that is saved again and again while it tracks many entities: each save compares all of
 * them. Called for saves without `only`, when there were many of them.
 */
export function warnOfLargeContext(tracker: ChangeTracker): void {
  if (tracker.entities.size <= manyEntities) return;
  warnOnce(
    tracker,
    "PARTITA_LARGE_CONTEXT",
    () =>
      `A context tracks ${tracker.entities.size} entities and was saved ${tracker.fullSaves} times; each save compares all of them. Make a new TableContext for each piece of work, detach(entity) what is done, name the changed entities with saveChanges({ only }), or use tracking: "explicit".`,
  );
}
