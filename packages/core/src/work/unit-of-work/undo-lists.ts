// Undoes changes of owned lists: `discard()`, `detach()` and retries of `modify()` call it.

import { ownedListsOf, ownsLists } from "../../model/declaration/owned-model.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { valueOf } from "./owned-lists.ts";
import { noIntent, type TrackedEntity } from "./tracked-entity.ts";

/**
 * Stops tracking an entity. The new members of one that is not stored go with it: they would be stored without their
 * parent.
 *
 * @throws StateError `entity.in-flight`
 */
export function detachWithMembers(tracker: ChangeTracker, entity: object): boolean {
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

/** Undoes what was put into the lists of a parent and taken out of them. Edits of members stay. */
export function discardLists(tracker: ChangeTracker, parent: TrackedEntity): void {
  const { entities } = tracker;
  for (const { property, child } of ownedListsOf(parent.model)) {
    const list = entities.lists.of(parent, property, child);
    for (const member of list.takenOut) {
      const tracked = entities.ofEntity(member);
      if (tracked?.intent.type === "remove") tracked.intent = noIntent;
    }
    list.takenOut.clear();
    for (const member of list.shown) {
      const tracked = entities.ofEntity(member);
      const isNew = tracked?.snapshot === undefined && tracked?.isInFlight !== true;
      if (tracked !== undefined && isNew) detachWithMembers(tracker, member);
      if (entities.ofEntity(member) === undefined) entities.lists.hide(list, member);
    }
    const value = valueOf(list);
    if (!list.isLoaded && (value === undefined || value === null)) continue;
    const left = [...list.shown].flatMap((member) => entities.ofEntity(member) ?? []);
    const members = left.toSorted((a, b) => (a.rowKey < b.rowKey ? -1 : 1)).map(({ entity }) => entity);
    (parent.entity as Record<string, unknown>)[list.property] = members;
  }
}
