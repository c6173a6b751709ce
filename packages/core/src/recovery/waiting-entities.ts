import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { ChangeSet, InDoubtWrite, TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** The entity that waits for a change of a write in doubt: its own, or one that took its key since. */
export function waiting(
  { entities }: ChangeTracker,
  write: InDoubtWrite,
  { entry }: ChangeSet,
): TrackedEntity | undefined {
  const current = entities.ofKey(entry.model, entry.key);
  return current?.inDoubt.includes(write) === true ? current : undefined;
}

/**
 * An entity waits for a write no longer. What was removed right after a write that did not happen needs no removal, unless
 * its row is there, or another write of it may yet store one.
 */
export function stopWaiting(
  { entities }: ChangeTracker,
  write: InDoubtWrite,
  entry: TrackedEntity,
  row: StoredEntity | undefined,
): void {
  entry.inDoubt = entry.inDoubt.filter((other) => other !== write);
  if (entry.intent.type !== "remove" || entry.etag !== undefined) return;
  if (row !== undefined) entry.etag = etagOf(row);
  else if (entry.inDoubt.length === 0) entities.delete(entry);
}

/** A removal that is proved done: an entity that took the key over is to be inserted, not to replace it. */
export function releaseSuccessors(tracker: ChangeTracker, write: InDoubtWrite): void {
  for (const change of write.changes) {
    const successor = waiting(tracker, write, change);
    if (change.operation.type === "delete" && successor !== undefined && successor !== change.entry)
      releaseSuccessor(tracker, successor);
  }
}

export function releaseSuccessor({ entities }: ChangeTracker, successor: TrackedEntity): void {
  if (successor.intent.type === "remove") entities.delete(successor);
  else successor.intent = { type: "add" };
  successor.etag = undefined;
  successor.replaced = undefined;
  successor.inDoubt = [];
}
