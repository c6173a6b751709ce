// Parents are stored before the members of their owned lists, and deleted after them: no reader ever finds a member
// without its parent, even if several transactions are needed.

import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { OwnedLists } from "../unit-of-work/owned-lists.ts";
import type { ChangeSet, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { Write } from "../recovery/attempt.ts";

const isDelete = ({ operation }: ChangeSet): boolean => operation.type === "delete";
const isInsert = ({ operation }: ChangeSet): boolean =>
  operation.type === "insert" || operation.type === "upsert-merge" || operation.type === "upsert-replace";

/** The parent of a change's entity, if the entity is a member of an owned list. */
const parentOf = (lists: OwnedLists, { entry }: ChangeSet): TrackedEntity | undefined =>
  lists.ofMember(entry.entity)?.parent;

/** The number of an entity's ancestors. */
function depthOf(lists: OwnedLists, entry: TrackedEntity): number {
  const parent = lists.ofMember(entry.entity)?.parent;
  return parent === undefined ? 0 : 1 + depthOf(lists, parent);
}

/** The changes with inserts of parents first and deletes of parents last; the others keep their order. */
export function inFamilyOrder(changes: readonly ChangeSet[], lists: OwnedLists): readonly ChangeSet[] {
  const parents = new Set(changes.flatMap((change) => parentOf(lists, change) ?? []));
  const isParent = ({ entry }: ChangeSet): boolean => parents.has(entry);
  const byDepth = (isMeant: (change: ChangeSet) => boolean): ChangeSet[] =>
    changes
      .filter((change) => isParent(change) && isMeant(change))
      .toSorted((a, b) => depthOf(lists, a.entry) - depthOf(lists, b.entry));
  const first = byDepth(isInsert);
  const last = byDepth(isDelete).toReversed();
  if (first.length === 0 && last.length === 0) return changes;
  const moved = new Set([...first, ...last]);
  return [...first, ...changes.filter((change) => !moved.has(change)), ...last];
}

/** The batches that must be stored before others, by the batch that waits for them. */
export function familyDependencies(
  batches: readonly Write[],
  lists: OwnedLists,
): ReadonlyMap<Write, readonly Write[]> {
  const waits = new Map<Write, Set<Write>>();
  if (batches.length < 2) return new Map();
  const batchOf = new Map(
    batches.flatMap((batch) => batch.changes.map((change) => [change.entry, { batch, change }] as const)),
  );
  const wait = (waiting: Write, earlier: Write): void => {
    if (waiting === earlier) return;
    const known = waits.get(waiting);
    if (known === undefined) waits.set(waiting, new Set([earlier]));
    else known.add(earlier);
  };
  for (const { batch, change } of batchOf.values()) {
    const parent = parentOf(lists, change);
    const above = parent && batchOf.get(parent);
    if (above === undefined) continue;
    if (isInsert(above.change) && !isDelete(change)) wait(batch, above.batch);
    if (isDelete(above.change)) wait(above.batch, batch);
  }
  return new Map([...waits].map(([batch, earlier]) => [batch, [...earlier]]));
}

/** The batches in an order that satisfies their dependencies. */
export function inOrderOfNeed(
  batches: readonly Write[],
  earlier: ReadonlyMap<Write, readonly Write[]>,
): readonly Write[] {
  if (earlier.size === 0) return batches;
  const visited = new Set<Write>();
  const ordered: Write[] = [];
  const visit = (batch: Write): void => {
    if (visited.has(batch)) return;
    visited.add(batch);
    for (const other of earlier.get(batch) ?? []) visit(other);
    ordered.push(batch);
  };
  for (const batch of batches) visit(batch);
  return ordered;
}

/**
 * Changes that cannot be sent because of their parents or children: a member whose parent may not be stored, and the
 * delete of a parent if its members may still be stored.
 */
export function heldByFamily(
  changes: readonly ChangeSet[],
  entities: IdentityMap,
  blocked: ReadonlyMap<TrackedEntity, unknown>,
): ReadonlySet<ChangeSet> {
  const { lists } = entities;
  const held = new Map<TrackedEntity, ChangeSet>();
  if (lists.isEmpty || blocked.size === 0) return new Set();
  const isHeld = (entry: TrackedEntity): boolean => held.has(entry) || blocked.has(entry);
  const isLeft = (member: object): boolean => {
    const entry = entities.ofEntity(member);
    return entry?.intent.type === "remove" && isHeld(entry);
  };
  const mustWait = (change: ChangeSet): boolean => {
    if (isDelete(change)) return lists.ofParent(change.entry).some(({ shown }) => [...shown].some(isLeft));
    const parent = parentOf(lists, change);
    return parent?.snapshot === undefined && parent !== undefined && isHeld(parent);
  };
  for (let count = -1; count !== held.size;) {
    count = held.size;
    for (const change of changes)
      if (!held.has(change.entry) && mustWait(change)) held.set(change.entry, change);
  }
  return new Set(held.values());
}
