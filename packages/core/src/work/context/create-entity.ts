// Builds new entities of values that the program gives, with the members of the lists that they own.

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

/** A new entity with these values; the members of its lists are built by `addMembers`. */
export function buildEntity({ scope }: ChangeTracker, model: EntityModel, values: Values): object {
  checkValues(model, values);
  return newEntity(model, scope.fill(model, values));
}

/**
 * Adds a new entity, and the members of its lists: values become members, instances stay what they are. Nothing is
 * tracked if one of them is refused.
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

/** Builds a member of a tracked parent's list, adds it, and puts it into the list where there is one. */
export function createMember(
  tracker: ChangeTracker,
  parent: TrackedEntity,
  property: string,
  values: Values,
): object {
  const child = childModelOf(parent.model, property);
  // A key is free once its member is no longer in the list, and taken once another one is.
  const [problem] = compareLists(tracker, [parent]);
  if (problem !== undefined) throw problem.error;
  const list = (parent.entity as Readonly<Record<string, unknown>>)[property];
  // An array that takes no more members is replaced.
  const isFixed = Array.isArray(list) && !Object.isExtensible(list);
  if (isFixed) checkAssignable(parent.entity, parent.model, parent.key, "createIn()", () => [property]);
  const member = addMember(tracker, parent, { property, child }, values);
  if (isFixed) (parent.entity as Record<string, unknown>)[property] = [...(list as object[]), member];
  else if (Array.isArray(list)) list.push(member);
  else if (isOwnedList(parent.model, property))
    tracker.entities.lists.of(parent, property, child).unseen.add(member);
  return member;
}

/** A list of an entity that is not tracked yet, and that has members. */
export function filledListOf(entity: object): string | undefined {
  const model = modelOfEntity(entity);
  return ownedListsOf(model).find(({ property }) => {
    const list = (entity as Values)[property];
    return Array.isArray(list) && list.length > 0;
  })?.property;
}
