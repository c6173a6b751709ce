// Parents are stored before the members of the lists that they own, and removed after them: no reader ever finds a
// member without its parent, even if a family needs several transactions.

import type { OwnedLists } from "../unit-of-work/owned-lists.ts";
import type { ChangeSet, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { Write } from "../recovery/attempt.ts";

const isDelete = ({ operation }: ChangeSet): boolean => operation.type === "delete";
const isInsert = ({ operation }: ChangeSet): boolean =>
  operation.type === "insert" || operation.type === "upsert-merge" || operation.type === "upsert-replace";

/** The parent of a change's entity, if the entity is a member of an owned list. */
const parentOf = (lists: OwnedLists, { entry }: ChangeSet): TrackedEntity | undefined =>
  lists.ofMember(entry.entity)?.parent;

/** The changes with inserts of parents first and deletes of parents last; the others keep their order. */
export function inFamilyOrder(changes: readonly ChangeSet[], lists: OwnedLists): readonly ChangeSet[] {
  const parents = new Set(changes.flatMap((change) => parentOf(lists, change) ?? []));
  const isParent = ({ entry }: ChangeSet): boolean => parents.has(entry);
  const first = changes.filter((change) => isParent(change) && isInsert(change));
  const last = changes.filter((change) => isParent(change) && isDelete(change)).toReversed();
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
