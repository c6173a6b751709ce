// Builds new entities from the program's values, with the members of their owned lists.

import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { checkValues, keyOfEntity } from "../../model/codec/entity-key.ts";
import { childModelOf } from "../../model/declaration/child-model.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { newEntity } from "../../model/codec/fill-entity.ts";
import { isEntity, modelOfEntity } from "../../model/declaration/model-registry.ts";
import { isOwnedList, ownedListsOf, ownsLists } from "../../model/declaration/owned-model.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { checkBelow, compareLists, fillKey } from "../unit-of-work/compare-lists.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

type Values = Readonly<Record<string, unknown>>;

/** Builds a new entity from these values; `addMembers` builds the members of its lists. */
export function buildEntity({ scope }: ChangeTracker, model: EntityModel, values: Values): object {
  checkValues(model, values);
  return newEntity(model, scope.fill(model, values));
}

/**
 * Adds a new entity and the members of its lists. Plain values become members, instances are used directly. If one of
 * them is refused, nothing is tracked.
 */
export function addWithMembers(tracker: ChangeTracker, entity: object): void {
  const parent = tracker.add(entity);
  if (!ownsLists(parent.model)) return;
  for (const { property, child } of ownedListsOf(parent.model))
    tracker.entities.lists.of(parent, property, child).isLoaded = parent.snapshot === undefined;
  try {
    addMembers(tracker, parent);
  } catch (error) {
    tracker.discard(entity);
    throw error;
  }
}

function addMembers(tracker: ChangeTracker, parent: TrackedEntity): void {
  const values = parent.entity as Record<string, unknown>;
  for (const { property, child } of ownedListsOf(parent.model)) {
    const given = values[property];
    if (!Array.isArray(given)) continue;
    values[property] = given.map((member: unknown) => {
      const isData = typeof member === "object" && member !== null && !isEntity(member);
      return isData ? addMember(tracker, parent, { property, child }, member as Values) : member;
    });
  }
}

/** Builds a member of a parent's list, and adds it. @throws StateError `entity.key-changed`; as `add` does */
function addMember(
  tracker: ChangeTracker,
  parent: TrackedEntity,
  { property, child }: { readonly property: string; readonly child: EntityModel },
  values: Values,
): object {
  const member = buildEntity(tracker, child, values);
  fillKey(parent, child, member);
  checkBelow({ parent, property }, child, keyOfEntity(child, member));
  addWithMembers(tracker, member);
  if (isOwnedList(parent.model, property)) {
    const { lists } = tracker.entities;
    lists.show(lists.of(parent, property, child), member);
  }
  return member;
}

/** Builds a member of a tracked parent's list, adds it, and puts it into the list if the parent has it. */
export function createMember(
  tracker: ChangeTracker,
  parent: TrackedEntity,
  property: string,
  values: Values,
): object {
  const child = childModelOf(parent.model, property);
  // A key becomes free when its member leaves the list, and is taken when another member has it.
  const [problem] = compareLists(tracker, [parent]);
  if (problem !== undefined) throw problem.error;
  const list = (parent.entity as Readonly<Record<string, unknown>>)[property];
  // An array that cannot be extended is replaced.
  const isFixed = Array.isArray(list) && !Object.isExtensible(list);
  if (isFixed) checkAssignable(parent.entity, parent.model, parent.key, "createIn()", () => [property]);
  const member = addMember(tracker, parent, { property, child }, values);
  if (isFixed) (parent.entity as Record<string, unknown>)[property] = [...(list as object[]), member];
  else if (Array.isArray(list)) list.push(member);
  else if (isOwnedList(parent.model, property))
    tracker.entities.lists.of(parent, property, child).unseen.add(member);
  return member;
}

/** The name of a non-empty list of an entity that is not tracked yet. */
export function filledListOf(entity: object): string | undefined {
  const model = modelOfEntity(entity);
  return ownedListsOf(model).find(({ property }) => {
    const list = (entity as Values)[property];
    return Array.isArray(list) && list.length > 0;
  })?.property;
}
