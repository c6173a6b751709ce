import type { ChangeSet } from "./change-set.ts";
import type { IdentityMap } from "./identity-map.ts";

/**
 * Records that a change is stored: what was sent becomes the snapshot, so that edits made meanwhile stay changes; a
 * removed entity leaves the context.
 */
export function acceptCommitted(
  { entry, image }: ChangeSet,
  etag: string | undefined,
  entities: IdentityMap,
): void {
  entry.isInFlight = false;
  entry.lastError = undefined;
  if (image === undefined) {
    entities.delete(entry);
    return;
  }
  entry.snapshot = image;
  entry.etag = etag;
  if (entry.intent.type !== "none")
    entry.isComplete = !(entry.intent.type === "upsert" && entry.intent.mode === "merge");
  entry.intent = entry.intent.type === "remove" ? entry.intent : { type: "none" };
  const { etagProperty, timestampProperty } = entry.model;
  const values = entry.entity as Record<string, unknown>;
  if (etagProperty !== undefined) values[etagProperty] = etag;
  // The answer to a write does not say the new Timestamp; the old one would be wrong.
  if (timestampProperty !== undefined) values[timestampProperty] = undefined;
}

/** Records that a change is not stored, or not known to be: the entity stays as it was, with the reason. */
export function keepPending(
  { entry }: ChangeSet,
  error: Error,
  isRejected: boolean,
  entities: IdentityMap,
): void {
  entry.isInFlight = false;
  entry.lastError = error;
  // Removed while its insert was under way, and the insert was refused: there is nothing to remove.
  if (
    entry.intent.type === "remove" &&
    isRejected &&
    entry.snapshot === undefined &&
    entry.etag === undefined
  )
    entities.delete(entry);
}
