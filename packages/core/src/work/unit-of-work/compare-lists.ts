// Turns changes of owned lists into changes of their members: a save, `pendingChanges()` and `include` call
// `compareLists`. New members are added, with the parent's key parts. Members that this context had put into a list and
// that are no longer in it are removed. Other stored members stay. A call for a member, such as `remove` or `detach`,
// takes precedence over its list.

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
import { listNotLoaded, notAMember } from "./list-errors.ts";
import { type OwnedList, valueOf } from "./owned-lists.ts";
import { noIntent, type TrackedEntity, type UpsertMode } from "./tracked-entity.ts";

/** The part of a context's tracker that lists need. */
export interface MemberTracker {
  readonly entities: IdentityMap;
  /** Whether only properties named by `update()` are saved. */
  readonly isExplicit: boolean;
  add(entity: object): void;
  upsert(entity: object, mode: UpsertMode, isIdempotent: boolean): void;
  remove(entity: object): void;
  detach(entity: object): boolean;
}

/** A parent with a list that cannot be saved. */
export interface ListProblem {
  readonly entry: TrackedEntity;
  readonly error: Error;
}

/**
 * Turns changes of owned lists into changes of their members. Calling it again has no further effect.
 *
 * @returns the problems of lists: `entity.not-a-member`, `entity.key-changed`, `entity.duplicate-key` and other errors
 *   of an entity that is added
 */
export function compareLists(tracker: MemberTracker, parents: Iterable<TrackedEntity>): ListProblem[] {
  const problems: ListProblem[] = [];
  // With explicit tracking, a list is a view: only named changes count.
  if (tracker.isExplicit) return problems;
  const queue = [...parents].filter(({ model }) => ownsLists(model));
  // Members that own lists follow their parents.
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

function compareList(tracker: MemberTracker, list: OwnedList): void {
  const value = valueOf(list);
  const { entities } = tracker;
  if (value === undefined || value === null) return putAllBack(tracker, list);
  const members = membersIn(list, value);
  // First, since a new member may have the key of a removed one.
  for (const member of list.shown) if (!members.has(member)) takeOut(tracker, list, member);
  for (const member of members) {
    const tracked = entities.ofEntity(member);
    if (tracked !== undefined) {
      checkBelow(list, tracked.model, tracked.key);
      putBack(list, tracked);
      // A member that a call has detached is left to that call.
    } else if (!list.shown.has(member)) putIn(tracker, list, member);
    entities.lists.show(list, member);
    list.unseen.delete(member);
  }
}

/** A property without a list says nothing about its members. */
export function putAllBack({ entities }: MemberTracker, list: OwnedList): void {
  for (const member of list.takenOut) {
    const tracked = entities.ofEntity(member);
    if (tracked !== undefined) putBack(list, tracked);
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

/** The member was put back before its delete was saved. */
function putBack(list: OwnedList, tracked: TrackedEntity): void {
  if (!list.takenOut.delete(tracked.entity)) return;
  if (tracked.intent.type === "remove") tracked.intent = noIntent;
}

/** @throws StateError `entity.key-changed`, `entity.duplicate-key`; as `add` does */
function putIn(tracker: MemberTracker, list: OwnedList, member: object): void {
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

function takeOut(tracker: MemberTracker, list: OwnedList, member: object): void {
  const { entities } = tracker;
  // The program has not seen it in the list.
  if (list.unseen.has(member)) return;
  const tracked = entities.ofEntity(member);
  if (tracked === undefined) {
    if (!isReplaced(tracker, list, member)) entities.lists.hide(list, member);
    return;
  }
  // Its write is in progress, so the next comparison decides.
  if (tracked.intent.type === "remove" || tracked.isInFlight) return;
  // A call has added it back.
  if (list.takenOut.has(member)) return entities.lists.hide(list, member);
  removeWithMembers(tracker, tracked);
  if (entities.ofEntity(member) === undefined) entities.lists.hide(list, member);
  else list.takenOut.add(member);
}

/** Whether a new member has taken its key. Until that member is saved, the row still belongs to the removed one. */
const isReplaced = (
  { entities }: Pick<MemberTracker, "entities">,
  { shown }: OwnedList,
  member: object,
): boolean => [...shown].some((other) => entities.ofEntity(other)?.replaced?.entity === member);

/** These entities, and the members of the lists that they own, at any depth. */
export function withMembers(
  { entities }: MemberTracker,
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

/** These entities, and the new entities whose lists they are in: a member is not stored without its parent. */
export function withNewParents(
  { entities }: MemberTracker,
  entries: Iterable<TrackedEntity>,
): Set<TrackedEntity> {
  const found = new Set(entries);
  for (const { entity } of found) {
    const parent = entities.lists.ofMember(entity)?.parent;
    if (parent?.snapshot === undefined && parent?.home !== undefined) found.add(parent);
  }
  return found;
}

/** Names of the lists whose stored members this context does not know. */
export const listsNotLoaded = ({ entities }: MemberTracker, entry: TrackedEntity): string[] =>
  ownedListsOf(entry.model)
    .filter(({ property, child }) => !entities.lists.of(entry, property, child).isLoaded)
    .map(({ property }) => property);

/**
 * The members of a list that was read: the stored ones, and those that this context has put in.
 *
 * @param read - the stored members, without those that this context has removed
 */
export function membersRead(
  { entities }: MemberTracker,
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
  for (const member of list.shown) {
    if (isStored.has(member)) continue;
    const tracked = entities.ofEntity(member);
    const isNew = tracked !== undefined && tracked.intent.type !== "remove" && tracked.snapshot === undefined;
    if (isNew) members.push(member);
    // Another program has deleted its row.
    else if (tracked?.intent.type !== "remove" && !isReplaced({ entities }, list, member))
      lists.hide(list, member);
  }
  for (const member of members) {
    list.takenOut.delete(member);
    lists.show(list, member);
  }
  list.unseen.clear();
  return [...members, ...(refused as object[])];
}

const isKnown = (entities: IdentityMap, { shown }: OwnedList, member: unknown): boolean =>
  typeof member === "object" &&
  member !== null &&
  (shown.has(member) || entities.ofEntity(member) !== undefined);

/**
 * Removes an entity, and the members of the lists that it owns.
 *
 * @throws StateError `entity.list-not-loaded` if stored members would remain; as `remove` does
 */
export function removeWithMembers(tracker: MemberTracker, entry: TrackedEntity): void {
  // From now on, this call removes it, so its list cannot put it back.
  if (tracker.entities.hasLists) tracker.entities.lists.ofMember(entry.entity)?.takenOut.delete(entry.entity);
  if (!ownsLists(entry.model)) return drop(tracker, entry);
  // Members that were put in until now are removed as well; those that cannot be added are ignored.
  compareLists(tracker, [entry]);
  const family = [...withMembers(tracker, [entry])];
  for (const each of family) {
    const [missing] = isNew(each) ? [] : listsNotLoaded(tracker, each);
    if (missing !== undefined)
      throw listNotLoaded(each, missing, "Call removeFamily(), which reads and removes them");
  }
  const { lists } = tracker.entities;
  for (const each of family.toReversed()) {
    const list = each.intent.type === "remove" ? undefined : lists.ofMember(each.entity);
    drop(tracker, each);
    // Discarding the parent puts its members back, except those that calls removed before.
    if (each !== entry && list !== undefined && each.home !== undefined) list.takenOut.add(each.entity);
  }
}

/** Removes an entity, or detaches it if nothing of it was sent. */
function drop(tracker: MemberTracker, entry: TrackedEntity): void {
  if (isUnsentUpsert(entry)) tracker.detach(entry.entity);
  else tracker.remove(entry.entity);
}

const isNew = (entry: TrackedEntity): boolean =>
  (entry.intent.type === "add" && entry.snapshot === undefined) || isUnsentUpsert(entry);

/** Whether it will be upserted, and nothing of it was sent yet. */
export const isUnsentUpsert = ({ intent, isInFlight, isInDoubt, mayBeStored }: TrackedEntity): boolean =>
  intent.type === "upsert" && !(isInFlight || isInDoubt || mayBeStored);
