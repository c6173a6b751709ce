import { etagOf } from "../codec/row-layout.ts";
import { monotonicTime } from "../storage/clock.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import type { WriteOperation } from "../storage/write-operation.ts";
import type { PropertyModel } from "../model/entity-model.ts";
import { type ChangeSet, type TrackedEntity, type InDoubtWrite, union } from "./tracked-entity.ts";

/**
 * Of the writes that may yet be stored, those that still may once an entity is known to have this row: an insert while
 * there is none, a conditional write while its version is the stored one. Unconditional ones are their owner's to
 * judge, who has just seen the row; they may still arrive.
 */
export function stillPossible(entry: TrackedEntity, row: StoredEntity | undefined): readonly InDoubtWrite[] {
  const { inDoubt } = entry;
  if (inDoubt.length === 0) return inDoubt;
  noteLate(entry);
  return inDoubt.filter((write) => {
    // A marker says it exactly, whatever the row is.
    if (write.marker !== undefined) return true;
    const own = ownChange(write, entry)?.operation;
    if (own === undefined || isOver(write)) return false;
    if (own.type === "insert") return row === undefined;
    const etag = conditionOf(own);
    return etag !== undefined && row !== undefined && etag === etagOf(row);
  });
}

let serials = 0;

/** The serial of a write that is left in doubt now. */
export const nextSerial = (): number => ++serials;

/** Whether no request of a write can take effect any more. */
export const isOver = ({ clock, lateUntil }: InDoubtWrite): boolean => monotonicTime(clock) > lateUntil;

/** The change of a write in the row of an entity, whichever instance it was of. */
export const ownChange = ({ changes }: InDoubtWrite, { key }: TrackedEntity): ChangeSet | undefined =>
  changes.find(({ entry }) => isSameKey(entry.key, key));

/**
 * Remembers upserts of an entity that may arrive after what is stored now, when they cease to be in doubt.
 *
 * @param write - one that was sent more than once, and is stored
 */
export function noteLate(entry: TrackedEntity, write?: InDoubtWrite): void {
  const mayOverwrite = (one: InDoubtWrite): boolean =>
    one.marker === undefined && !isOver(one) && !one.changes.some(appliesOnce);
  const added = [...entry.inDoubt, ...(write === undefined ? [] : [write])].filter(mayOverwrite);
  if (added.length > 0) entry.late = [...entry.late, ...added];
}

const isSameKey = (a: EntityKey, b: EntityKey): boolean =>
  a.partitionKey === b.partitionKey && a.rowKey === b.rowKey;

/** What `rewrite` was asked to send of a row. */
const rewritten = new WeakSet<object>();

/**
 * Has properties written that nobody edited: what is known of them is stored once more, under a new ETag. A write in doubt
 * can then no longer take effect.
 */
export function rewrite(entry: TrackedEntity, properties: readonly PropertyModel[]): void {
  if (properties.length === 0) return;
  const added = new Set(properties);
  if (entry.explicitlyModified === undefined) rewritten.add(added);
  entry.explicitlyModified = union(entry.explicitlyModified, added);
}

/** Whether a change only stores once more what is stored: equal values are no proof that it was this one that did. */
export const isRewrite = ({ explicitlyModified }: Pick<ChangeSet, "explicitlyModified">): boolean =>
  typeof explicitlyModified === "object" && rewritten.has(explicitlyModified);

/** Whether a change can be stored once only: by its ETag, or because it takes a free key. */
export const appliesOnce = ({ operation }: ChangeSet): boolean =>
  operation.type === "insert" || conditionOf(operation) !== undefined;

/** The version that an operation asks its row to have; undefined where any will do. */
export const conditionOf = (operation: WriteOperation): string | undefined =>
  "etag" in operation && operation.etag !== "*" ? operation.etag : undefined;

/** The service ends a request after 30 seconds; the rest is a margin. Source: "Query timeout and pagination". */
const latestMs = 60_000;

/** How long a marker stays at least: longer than any request that may still arrive. */
export const markerLifeMs = 3_600_000;

/** Whether the marker of a write may have been removed by now, by any clock: that it is not there proves nothing any more. */
export const mayHaveLostMarker = ({ clock, sentAt, sentOn }: InDoubtWrite): boolean =>
  Math.max(monotonicTime(clock) - sentAt, clock.now() - sentOn) > markerLifeMs - latestMs;

/** When a request that was sent now can no longer take effect. */
export const lateAfter = (now: number): number => now + latestMs;
