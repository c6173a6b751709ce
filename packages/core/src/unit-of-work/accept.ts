import type { StoredEntity } from "../edm/stored-entity.ts";
import { assignSystemValues } from "../materialize/decode-entity.ts";
import { type LoadedProperties, notLoaded, type Snapshot } from "../materialize/snapshot.ts";
import {
  type ChangeSet,
  noIntent,
  settle,
  type TrackedEntity,
  type UncertainWrite,
  union,
  without,
} from "./tracked-entity.ts";
import type { IdentityMap } from "./identity-map.ts";
import { takeRow } from "./merge-row.ts";
import { isConditional } from "./uncertain-write.ts";

/** Freezes what is sent: later changes, `update()` included, count as made after this save. */
export function beginFlight({ entry }: ChangeSet): void {
  entry.isInFlight = true;
  entry.forced = undefined;
}

/**
 * Takes the store's own answer to a conditional write as proof that earlier ones under the same condition were not
 * stored, and never will be: their condition no longer holds.
 */
export function disproveEarlier(change: ChangeSet): void {
  if (!isConditional(change)) return;
  const { entry } = change;
  for (const write of entry.uncertain)
    for (const { entry: other } of write.changes)
      other.uncertain = other.uncertain.filter((uncertain) => uncertain !== write);
}

/** What proves that a change is stored: the answer, or the row that was read back. */
export interface CommitProof {
  readonly etag?: string | undefined;
  readonly row?: StoredEntity | undefined;
  /** The save, by the context's own count. */
  readonly savedAt: number;
}

/**
 * Records that a change is stored: what was sent becomes the snapshot, so that edits made meanwhile stay changes; a
 * removed entity leaves the context.
 */
export function acceptCommitted(change: ChangeSet, proof: CommitProof, entities: IdentityMap): void {
  const { entry, after, operation, forced } = change;
  const { etag, row, savedAt } = proof;
  entry.isInFlight = false;
  entry.savedAt = savedAt;
  settle(entry);
  // A write that was proved later had its properties marked to be sent again.
  entry.forced = without(entry.forced, forced);
  if (after === undefined) {
    acceptDeletion(entry, entities);
    return;
  }
  const isRemovedSince = entry.intent.type === "remove";
  entry.snapshot = after;
  entry.etag = etag;
  entry.replaced = undefined;
  if (!isRemovedSince) entry.intent = noIntent;
  if (operation.type === "upsert-merge" || operation.type === "upsert-replace") entry.isIdempotent = false;
  // The answer to a write does not say the new Timestamp; the old one would be wrong.
  assignSystemValues(entry.model, entry.entity as Record<string, unknown>, etag, undefined);
  // Somebody may have changed the row after us: what it holds now is what the new ETag stands for.
  if (row !== undefined) refresh(entry, row, after);
}

/** A row that cannot be read leaves the version unknown: the next change needs a reload, which says why. */
function refresh(entry: TrackedEntity, row: StoredEntity, after: Snapshot): void {
  try {
    takeRow(entry, row, "preserveChanges", loadedIn(after));
  } catch {
    entry.etag = undefined;
  }
}

/** What a snapshot knows of a row. */
const loadedIn = ({ isWhole, values }: Snapshot): LoadedProperties =>
  isWhole ? undefined : values.map((kept) => kept !== notLoaded);

/**
 * The row is gone. An entity that was added back meanwhile is one to insert; of one that was partly loaded the rest is
 * lost, so that its next change is refused as a conflict.
 */
function acceptDeletion(entry: TrackedEntity, entities: IdentityMap): void {
  if (entry.intent.type === "remove") entities.delete(entry);
  else if (entry.snapshot?.isWhole === false) entry.isStale = true;
  else {
    const undeclared = entry.snapshot?.undeclared;
    entry.intent = { type: "add", ...(undeclared !== undefined && { undeclared }) };
    entry.snapshot = undefined;
    entry.etag = undefined;
  }
}

/** Records that a change is not stored, or not known to be: the entity stays as it was, with the reason. */
export function keepPending(
  { entry, forced }: ChangeSet,
  error: Error,
  uncertain: UncertainWrite | undefined,
  entities: IdentityMap,
): void {
  entry.isInFlight = false;
  entry.lastError = error;
  if (forced !== undefined) entry.forced = union(entry.forced, forced);
  if (uncertain !== undefined) entry.uncertain = [...entry.uncertain, uncertain];
  // Removed while its insert was under way, and the insert was refused: there is nothing to remove.
  const isOnlyAdded = entry.snapshot === undefined && entry.etag === undefined;
  if (entry.intent.type === "remove" && isOnlyAdded && entry.uncertain.length === 0) entities.delete(entry);
}
