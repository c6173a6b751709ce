import { appliesOnce } from "../unit-of-work/in-doubt-write.ts";
import type { ChangeSet, TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/**
 * Whether changes of one request may be sent again while the first request may be stored, or may be yet. An insert or an
 * ETag lets them be stored once only; unconditional writes would overwrite what somebody stored in between, unless the
 * caller said that nobody else writes these rows.
 */
export const maySendAgain = (changes: readonly ChangeSet[]): boolean =>
  changes.some(appliesOnce) || changes.every(({ entry }) => entry.isIdempotent);

/**
 * Whether a later save may send an entity again, of which an earlier write is still in doubt.
 *
 * @param isNotStored - whether its row shows that nothing of that write is stored yet
 */
export function mayBeSentLater(change: ChangeSet, entry: TrackedEntity, isNotStored: boolean): boolean {
  // What was removed right after its insert has no version to remove it by.
  if (entry.intent.type === "remove" && entry.etag === undefined) return false;
  if (entry.isIdempotent) return true;
  // Another instance that took the key is refused, if it comes to that, by its own condition.
  return appliesOnce(change) && (isNotStored || entry !== change.entry);
}
