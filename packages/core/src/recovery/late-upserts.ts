import { codecOf, decodeEntity } from "../codec/codec-of.ts";
import { stubOf } from "../codec/decode-entity.ts";
import { etagOf, isOfKind } from "../codec/row-layout.ts";
import { notLoaded } from "../codec/snapshot.ts";
import { hasSameProperty } from "../edm/same-value.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import type { PropertyModel } from "../model/entity-model.ts";
import { inParallel } from "../storage/in-parallel.ts";
import { isMerge, type RowWrite, type WriteOperation } from "../storage/write-operation.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isOver, ownChange } from "../unit-of-work/in-doubt-write.ts";
import { TrackedEntity, union } from "../unit-of-work/tracked-entity.ts";
import type { FindOutOptions } from "./find-out.ts";
import { evidenceOf } from "./judge-write.ts";
import type { RecoverySource } from "./outcome.ts";

/** How rows are read. */
interface ReadBackOptions extends Pick<FindOutOptions, "signal"> {
  readonly concurrency: number;
}

/**
 * Looks after rows that a late attempt of an upsert may have overwritten since something newer was stored. What was lost so
 * becomes a pending change again. Somebody else may have written the same values, so the next save is refused as a conflict,
 * for its owner to decide.
 */
export async function findOverwritten(
  { tracker, storage }: RecoverySource,
  { concurrency, signal }: ReadBackOptions,
): Promise<void> {
  handOver(tracker);
  const entries = tracker.entities.withWork().filter(({ marks }) => marks.late.length > 0);
  const { late: removed } = tracker.removed;
  const request = { mayBeStale: false, ...(signal && { signal }) };
  const meet = async (entry: TrackedEntity): Promise<void> => {
    const { etag } = entry;
    // Before reading: what is read later may still have been on its way.
    const over = entry.late.filter(isOver);
    const row = await storage.get(entry.model.table, entry.key, request);
    // What the entity has learnt meanwhile is newer.
    if (row !== undefined && entry.etag === etag) {
      if (removed.includes(entry)) meetRemoved(tracker, entry, row);
      else meetRow(entry, row, tracker.isExplicit);
    }
    entry.late = entry.late.filter((write) => !over.includes(write));
  };
  // Rows that cannot be read are asked again by the next save.
  await inParallel([...entries, ...removed], concurrency, (entry) => meet(entry).catch(() => undefined));
  handOver(tracker);
}

/** Whoever has the key of an entity that was removed, or given up, looks after its late upserts now. */
function handOver({ removed, entities }: ChangeTracker): void {
  const staysWithout = (entry: TrackedEntity): boolean => {
    const current = entities.ofKey(entry.model, entry.key);
    if (current === undefined) return entry.late.length > 0;
    if (current !== entry) current.late = [...new Set([...current.late, ...entry.late])];
    return false;
  };
  removed.late = removed.late.filter(staysWithout);
  // Nobody reads the rows of those for their sake.
  removed.left = removed.left.filter((entry) => !entry.late.every(isOver) && staysWithout(entry));
}

/** The row of an entity that is tracked. */
function meetRow(entry: TrackedEntity, row: StoredEntity, isExplicit: boolean): void {
  const { isInFlight, inDoubt, etag, intent } = entry;
  // Who takes any version knows of none that was overwritten.
  const isKnown = etag !== undefined && etag !== "*";
  if (isInFlight || inDoubt.length > 0 || !isKnown || etag === etagOf(row)) return;
  const operation = lateIn(row, entry);
  if (operation === undefined || intent.type !== "none") return;
  storeAgain(entry, row, { operation, isExplicit });
}

/** What was overwritten becomes a pending change: it differs from what is stored now. */
function storeAgain(
  entry: TrackedEntity,
  row: StoredEntity,
  { operation, isExplicit }: { readonly operation: RowWrite; readonly isExplicit: boolean },
): void {
  const { snapshot, model, etag } = entry;
  if (snapshot === undefined || etag === undefined) return;
  if (!isOfKind(model, row)) {
    entry.intent = { type: "add", replaces: etag };
    return;
  }
  const { snapshot: stored } = decodeEntity(model, row, undefined);
  const known = codecOf(model).restore(entry.key, snapshot);
  const isLost = ({ storedName }: PropertyModel, i: number): boolean =>
    snapshot.values[i] !== notLoaded &&
    // Of the rest of a row, a part has overwritten nothing.
    (!isMerge(operation) || operation.entity[storedName] !== undefined) &&
    !hasSameProperty(known, row, storedName);
  const lost = new Set(model.properties.filter(isLost));
  if (lost.size === 0) return;
  const values = model.properties.map((property, i) =>
    lost.has(property) ? stored.values[i] : snapshot.values[i],
  );
  entry.snapshot = { ...snapshot, values };
  if (isExplicit) entry.explicitlyModified = union(entry.explicitlyModified, lost);
}

/**
 * A removed row is there again: it is to be removed once more, unless another entity has its key now. An update changes
 * rows and stores none: a row that is there again is then somebody else's.
 */
function meetRemoved({ entities }: ChangeTracker, removed: TrackedEntity, row: StoredEntity): void {
  const { model, key, late } = removed;
  const { etag } = removed;
  if (entities.ofKey(model, key) !== undefined || etag === undefined) return;
  if (lateIn(row, removed, isUpsert) === undefined) return;
  // Its owner may have added the instance anew, under another key.
  const isFree =
    entities.ofEntity(removed.entity) === undefined && !entities.isTrackedElsewhere(removed.entity);
  const entity = isFree ? removed.entity : stubOf(model, key);
  const entry = new TrackedEntity(model, entity, key, { intent: { type: "remove" }, etag });
  entry.late = late;
  entities.add(entry);
}

/** The late upsert that is the latest write of a row, as it seems by its content. */
function lateIn(
  row: StoredEntity,
  entry: TrackedEntity,
  isMeant: (operation: WriteOperation) => boolean = () => true,
): RowWrite | undefined {
  for (const write of entry.late) {
    const change = ownChange(write, entry);
    if (change === undefined || change.operation.type === "delete" || !isMeant(change.operation)) continue;
    if (evidenceOf(change, row, undefined) === "consistent") return change.operation;
  }
  return undefined;
}

const isUpsert = ({ type }: WriteOperation): boolean => type === "upsert-merge" || type === "upsert-replace";
