// Turns changes of owned lists into changes of their members: a save, `pendingChanges()` and `include` call
// `compareLists`. New members are added, with the parent's key parts; members that this context had put into a list and
// that are no longer in it are removed. What else is stored is not touched. A call for a member, such as `remove` or
// `detach`, takes precedence over its list.

import { asError } from "../../values/errors/built-ins.ts";
import { inherits } from "../../values/errors/brand.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { keyOfEntity } from "../../model/codec/entity-key.ts";
import { parentKeyOf } from "../../model/declaration/child-model.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { generateKey } from "../../model/codec/fill-entity.ts";
import { isEntity, modelOfEntity } from "../../model/declaration/model-registry.ts";
import { ownedListsOf, ownsLists } from "../../model/declaration/owned-model.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { IdentityMap } from "./identity-map.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { type OwnedList, valueOf } from "./owned-lists.ts";
import { noIntent, type TrackedEntity } from "./tracked-entity.ts";

/** A parent with a list that cannot be saved. */
export interface ListProblem {
  readonly entry: TrackedEntity;
  readonly error: Error;
}

/**
 * Makes the changes of owned lists changes of their members. Calling it twice has the same effect as once.
 *
 * @returns what is wrong with lists: `entity.not-a-member`, `entity.key-changed`, `entity.duplicate-key` and other errors
 *   of an entity that is added
 */
export function compareLists(tracker: ChangeTracker, parents: Iterable<TrackedEntity>): ListProblem[] {
  const problems: ListProblem[] = [];
  const queue = [...parents].filter(({ model }) => ownsLists(model));
  // Members that own lists come behind their parents.
  for (const entry of queue) {
    if (entry.intent.type === "remove" || entry.home === undefined) continue;
    for (const { property, child } of ownedListsOf(entry.model)) {
      const list = tracker.entities.lists.of(entry, property, child);
      if (entry.intent.type === "add" && entry.snapshot === undefined) list.isLoaded = true;
      try {
        compareList(tracker, list);
      } catch (error) {
        problems.push({ entry, error: asError(error) });
      }
      for (const member of list.shown) {
        const tracked = tracker.entities.ofEntity(member);
        if (tracked !== undefined && ownsLists(tracked.model) && !queue.includes(tracked))
          queue.push(tracked);
      }
    }
  }
  return problems;
}

function compareList(tracker: ChangeTracker, list: OwnedList): void {
  const value = valueOf(list);
  // Nothing in place of a list says nothing about its members.
  if (value === undefined || value === null) return;
  const { entities } = tracker;
  const members = membersIn(list, value);
  // First, since a new member may have the key of one that is gone.
  for (const member of [...list.shown]) if (!members.has(member)) takeOut(tracker, list, member);
  for (const member of members) {
    const tracked = entities.ofEntity(member);
    if (tracked !== undefined) {
      checkBelow(list, tracked.model, tracked.key);
      putBack(list, tracked);
      // One that a call has detached is left to that call.
    } else if (!list.shown.has(member)) putIn(tracker, list, member);
    entities.lists.show(list, member);
  }
}

/** @throws StateError `entity.not-a-member` */
function membersIn(list: OwnedList, value: unknown): Set<object> {
  if (!Array.isArray(value)) throw notAMember(list, undefined);
  const members = new Set<object>();
  for (let i = 0; i < value.length; i++) {
    const member = value[i] as unknown;
    if (typeof member !== "object" || member === null || !isOf(list.child, member)) throw notAMember(list, i);
    members.add(member);
  }
  return members;
}

const isOf = ({ entityClass }: EntityModel, member: object): boolean =>
  isEntity(member) && (member.constructor === entityClass || inherits(member, entityClass));

/** A member that came back before its removal was saved. */
function putBack(list: OwnedList, tracked: TrackedEntity): void {
  if (!list.takenOut.delete(tracked.entity)) return;
  if (tracked.intent.type === "remove") tracked.intent = noIntent;
}

/** @throws StateError `entity.key-changed`, `entity.duplicate-key`; as `add` does */
function putIn(tracker: ChangeTracker, list: OwnedList, member: object): void {
  const { intent } = list.parent;
  const model = modelOfEntity(member);
  fillKey(list.parent, model, member);
  checkBelow(list, model, keyOfEntity(model, member));
  if (intent.type === "upsert") tracker.upsert(member, intent.mode, intent.isIdempotent === true);
  else tracker.add(member);
}

/** Gives a new member the key parts of its parent that it lacks, and generates others. */
export function fillKey({ model, entity }: TrackedEntity, child: EntityModel, member: object): void {
  const own = member as Record<string, unknown>;
  for (const { name } of model.keyProperties)
    own[name] ??= (entity as Readonly<Record<string, unknown>>)[name];
  generateKey(child, member);
}

/** @throws StateError `entity.key-changed` for a member of another parent */
export function checkBelow(
  { parent, property }: Pick<OwnedList, "parent" | "property">,
  model: EntityModel,
  key: EntityKey,
): void {
  const isBelow =
    key.partitionKey === parent.partitionKey &&
    parentKeyOf(parent.model, model, key.rowKey) === parent.rowKey;
  if (isBelow) return;
  throw new StateError(
    "entity.key-changed",
    `${subjectOf(model, key)} is in ${property} of ${subjectOf(parent.model, parent.key)}, but its key belongs to another ${parent.model.name}. A stored key cannot change: put a copy into this list, and remove the entity itself.`,
    { entity: model.name, property },
  );
}

function takeOut(tracker: ChangeTracker, list: OwnedList, member: object): void {
  const { entities } = tracker;
  const tracked = entities.ofEntity(member);
  if (tracked === undefined) return entities.lists.hide(list, member);
  // Its write is on the way: the next comparison decides.
  if (tracked.intent.type === "remove" || tracked.isInFlight) return;
  // A call has added it back.
  if (list.takenOut.has(member)) return entities.lists.hide(list, member);
  if (tracked.intent.type === "upsert" && !tracked.isInDoubt) tracker.detach(member);
  else tracker.remove(member);
  if (entities.ofEntity(member) === undefined) entities.lists.hide(list, member);
  else list.takenOut.add(member);
}

function notAMember({ parent, property, child }: OwnedList, at: number | undefined): StateError {
  const what =
    at === undefined
      ? `${property} of ${subjectOf(parent.model, parent.key)} is no list`
      : `${property}[${at}] of ${subjectOf(parent.model, parent.key)} is no ${child.name}`;
  return new StateError(
    "entity.not-a-member",
    `${what}. It holds instances of ${child.name}: push(new ${child.name}({ … })), or call createIn(parent, "${property}", values).`,
    { entity: parent.model.name, property, ...(at !== undefined && { index: at }) },
  );
}

/** These entities, and the members of the lists that they own, at any depth. */
export function withMembers(
  { entities }: ChangeTracker,
  entries: Iterable<TrackedEntity>,
): Set<TrackedEntity> {
  const found = new Set(entries);
  for (const entry of found) {
    if (!ownsLists(entry.model)) continue;
    for (const { shown } of entities.lists.ofParent(entry))
      for (const member of shown) {
        const tracked = entities.ofEntity(member);
        if (tracked !== undefined) found.add(tracked);
      }
  }
  return found;
}

/** Names of the lists whose stored members this context does not know. */
export const listsNotLoaded = ({ entities }: ChangeTracker, entry: TrackedEntity): string[] =>
  ownedListsOf(entry.model)
    .filter(({ property, child }) => !entities.lists.of(entry, property, child).isLoaded)
    .map(({ property }) => property);

/**
 * The members of a list that was read: those that are stored, and those that this context has put in.
 *
 * @param read - the members that are stored, without those that this context has removed
 */
export function membersRead(
  { entities }: ChangeTracker,
  list: OwnedList,
  read: readonly object[],
): readonly object[] {
  const { lists } = entities;
  // What could not be added yet stays in the list, where the next save reports it.
  const value = valueOf(list);
  const refused = Array.isArray(value)
    ? (value as unknown[]).filter((member) => !isKnown(entities, list, member))
    : [];
  const isStored = new Set(read);
  const members = [...read];
  for (const member of [...list.shown]) {
    if (isStored.has(member)) continue;
    const tracked = entities.ofEntity(member);
    const isNew = tracked !== undefined && tracked.intent.type !== "remove" && tracked.snapshot === undefined;
    if (isNew) members.push(member);
    // Another program has removed its row.
    else if (tracked?.intent.type !== "remove") lists.hide(list, member);
  }
  for (const member of members) {
    list.takenOut.delete(member);
    lists.show(list, member);
  }
  list.isLoaded = true;
  return [...members, ...(refused as object[])];
}

const isKnown = (entities: IdentityMap, { shown }: OwnedList, member: unknown): boolean =>
  typeof member === "object" &&
  member !== null &&
  (shown.has(member) || entities.ofEntity(member) !== undefined);

/** Undoes what was put into the lists of a parent and taken out of them. Edits of members stay. */
export function discardLists(tracker: ChangeTracker, parent: TrackedEntity): void {
  const { entities } = tracker;
  for (const list of entities.lists.ofParent(parent)) {
    for (const member of list.takenOut) {
      const tracked = entities.ofEntity(member);
      if (tracked?.intent.type === "remove") tracked.intent = noIntent;
    }
    list.takenOut.clear();
    for (const member of [...list.shown]) {
      const tracked = entities.ofEntity(member);
      const isNew = tracked?.snapshot === undefined && tracked?.isInFlight !== true;
      if (tracked !== undefined && isNew) tracker.detach(member);
      if (entities.ofEntity(member) === undefined) entities.lists.hide(list, member);
    }
    if (!list.isLoaded && valueOf(list) === undefined) continue;
    const left = [...list.shown].flatMap((member) => entities.ofEntity(member) ?? []);
    const members = left.toSorted((a, b) => (a.rowKey < b.rowKey ? -1 : 1)).map(({ entity }) => entity);
    (parent.entity as Record<string, unknown>)[list.property] = members;
  }
}

/**
 * Removes an entity, and the members of the lists that it owns.
 *
 * @throws StateError `entity.list-not-loaded` if stored members would be left behind; as `remove` does
 */
export function removeWithMembers(tracker: ChangeTracker, entry: TrackedEntity): void {
  if (!ownsLists(entry.model)) return tracker.remove(entry.entity);
  const family = [...withMembers(tracker, [entry])];
  for (const each of family) {
    const [missing] = isOnlyAdded(each) ? [] : listsNotLoaded(tracker, each);
    if (missing !== undefined)
      throw listNotLoaded(each, missing, "Call removeFamily(), which reads and removes them");
  }
  const { lists } = tracker.entities;
  for (const { entity } of family.toReversed()) {
    const list = lists.ofMember(entity);
    tracker.remove(entity);
    // Discarding the parent brings its members back, too.
    if (list !== undefined && tracker.entities.ofEntity(entity) !== undefined) list.takenOut.add(entity);
  }
}

const isOnlyAdded = ({ intent, snapshot }: TrackedEntity): boolean =>
  intent.type === "add" && snapshot === undefined;

/** The error for a call that needs to know all members of a list. */
export const listNotLoaded = ({ model, key }: TrackedEntity, property: string, remedy: string): StateError =>
  new StateError(
    "entity.list-not-loaded",
    `${property} of ${subjectOf(model, key)} was not loaded, so its members are not known here. ${remedy}, or load the list by include().`,
    { entity: model.name, property },
  );

/** The error for an entity that is attached with members, which have versions of their own. */
export const attachedWithList = ({ name }: EntityModel, property: string): StateError =>
  new StateError(
    "entity.list-not-loaded",
    `attach() takes no list, and ${property} of this ${name} has members, whose versions are not known. Attach each member by itself, or read the ${name} with include().`,
    { entity: name, property },
  );
