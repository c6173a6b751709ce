// Undoes changes of owned lists: `discard()`, `detach()` and retries of `modify()` call it.

import { ownedListsOf, ownsLists } from "../../model/declaration/owned-model.ts";
import { type MemberTracker, putAllBack } from "./compare-lists.ts";
import { valueOf } from "./owned-lists.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/**
 * Stops tracking an entity. If it is not stored, its new members are detached as well, since they would be stored
 * without their parent.
 *
 * @throws StateError `entity.in-flight`
 */
export function detachWithMembers(tracker: MemberTracker, entity: object): boolean {
  const { entities } = tracker;
  const entry = entities.ofEntity(entity);
  const isNew = entry?.snapshot === undefined && entry?.isInFlight === false;
  if (isNew && ownsLists(entry.model))
    for (const { shown } of entities.lists.ofParent(entry))
      for (const member of shown) {
        const tracked = entities.ofEntity(member);
        if (tracked?.snapshot === undefined && tracked?.isInFlight === false)
          detachWithMembers(tracker, member);
      }
  return tracker.detach(entity);
}

/** Reverts additions to the lists of a parent, and removals from them. Edits of members stay. */
export function discardLists(tracker: MemberTracker, parent: TrackedEntity): void {
  const { entities } = tracker;
  for (const { property, child } of ownedListsOf(parent.model)) {
    const list = entities.lists.of(parent, property, child);
    // First, since a new member may have taken the key of one that returns.
    for (const member of list.shown) {
      const tracked = entities.ofEntity(member);
      if (tracked !== undefined && tracked.snapshot === undefined && !tracked.isInFlight)
        detachWithMembers(tracker, member);
    }
    putAllBack(tracker, list);
    for (const member of list.shown)
      if (entities.ofEntity(member) === undefined) entities.lists.hide(list, member);
    const value = valueOf(list);
    if (!list.isLoaded && (value === undefined || value === null)) continue;
    const left = [...list.shown].flatMap((member) => entities.ofEntity(member) ?? []);
    const members = left.toSorted((a, b) => (a.rowKey < b.rowKey ? -1 : 1)).map(({ entity }) => entity);
    (parent.entity as Record<string, unknown>)[list.property] = members;
  }
}
