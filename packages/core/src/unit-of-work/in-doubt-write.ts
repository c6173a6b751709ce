import { etagOf } from "../codec/row-layout.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import type { ChangeSet, TrackedEntity, InDoubtWrite } from "./tracked-entity.ts";

/**
 * Of the writes that may yet be stored, those that still may once an entity is known to have this row: an insert while
 * there is none, a conditional write while its version is the stored one. Unconditional ones are their owner's to
 * judge, who has just seen the row.
 */
export function stillPossible(
  { inDoubt, key }: TrackedEntity,
  row: StoredEntity | undefined,
): readonly InDoubtWrite[] {
  if (inDoubt.length === 0) return inDoubt;
  return inDoubt.filter(({ changes, lateUntil, clock }) => {
    const own = changes.find(({ entry }) => isSameKey(entry.key, key))?.operation;
    if (own === undefined || clock.now() > lateUntil) return false;
    if (own.type === "insert") return row === undefined;
    return "etag" in own && own.etag !== "*" && row !== undefined && own.etag === etagOf(row);
  });
}

const isSameKey = (a: EntityKey, b: EntityKey): boolean =>
  a.partitionKey === b.partitionKey && a.rowKey === b.rowKey;

/** Whether a change can be stored once only: by its ETag, or because it takes a free key. */
export const appliesOnce = ({ operation }: ChangeSet): boolean =>
  operation.type === "insert" || ("etag" in operation && operation.etag !== "*");

/** The service ends a request after 30 seconds; the rest is a margin. Source: "Query timeout and pagination". */
const latestMs = 60_000;

/** When a request that was sent now can no longer take effect. */
export const lateAfter = (now: number): number => now + latestMs;
