// Builds new entities of values that the program gives, with the members of the lists that they own.

import { checkValues, keyOfEntity } from "../../model/codec/entity-key.ts";
import { childModelOf } from "../../model/declaration/child-model.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { newEntity } from "../../model/codec/fill-entity.ts";
import { isEntity, modelOfEntity } from "../../model/declaration/model-registry.ts";
import { ownedListsOf, ownsLists } from "../../model/declaration/owned-model.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { checkBelow, fillKey } from "../unit-of-work/compare-lists.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

type Values = Readonly<Record<string, unknown>>;

/** A new entity with these values; the members of its lists are built by `addMembers`. */
export function buildEntity(model: EntityModel, values: Values): object {
  checkValues(model, values);
  return newEntity(model, values);
}

/**
 * Adds a new entity, and the members of its lists: values become members, instances stay what they are. Nothing is
 * tracked if one of them is refused.
 */
export function addWithMembers(tracker: ChangeTracker, entity: object): void {
  tracker.add(entity);
  const parent = tracker.entities.ofEntity(entity) as TrackedEntity;
  if (!ownsLists(parent.model)) return;
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
export function addMember(
  tracker: ChangeTracker,
  parent: TrackedEntity,
  { property, child }: { readonly property: string; readonly child: EntityModel },
  values: Values,
): object {
  const member = buildEntity(child, values);
  fillKey(parent, child, member);
  checkBelow({ parent, property }, child, keyOfEntity(child, member));
  const list = tracker.entities.lists.of(parent, property, child);
  addWithMembers(tracker, member);
  tracker.entities.lists.show(list, member);
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
  const member = addMember(tracker, parent, { property, child }, values);
  const list = (parent.entity as Readonly<Record<string, unknown>>)[property];
  if (Array.isArray(list)) list.push(member);
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
