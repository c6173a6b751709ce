import { stubOf } from "../codec/decode-entity.ts";
import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { inParallel } from "../storage/in-parallel.ts";
import { isOver, ownChange } from "../unit-of-work/in-doubt-write.ts";
import { isAsKnown } from "../unit-of-work/known-row.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isTrackedElsewhere } from "../unit-of-work/identity-map.ts";
import { type TrackedEntity, trackedEntity } from "../unit-of-work/tracked-entity.ts";
import { noteWriteHistory } from "../unit-of-work/write-id.ts";
import type { FindOutOptions } from "./find-out.ts";
import { evidenceOf } from "./judge-write.ts";
import type { RecoverySource } from "./outcome.ts";

/** How rows are read. */
interface ReadBackOptions extends Pick<FindOutOptions, "signal"> {
  readonly concurrency: number;
}

/**
 * Looks after rows that a late attempt of an upsert may have overwritten since something newer was stored. What was lost so
 * becomes a pending change again. Where rows carry ids, it is certain that the upsert did it, and the next save stores the
 * newer values over it; elsewhere somebody else may have written the same values, and the next save is refused as a
 * conflict, for its owner to decide.
 */
export async function findOverwritten(
  { tracker, storage }: RecoverySource,
  { concurrency, signal }: ReadBackOptions,
): Promise<void> {
  handOver(tracker);
  const entries = tracker.entities.values().filter(({ late }) => late.length > 0);
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
      else meetRow(entry, row);
    }
    entry.late = entry.late.filter((write) => !over.includes(write));
  };
  // Rows that cannot be read are asked again by the next save.
  await inParallel([...entries, ...removed], concurrency, (entry) => meet(entry).catch(() => undefined));
  handOver(tracker);
}

/** Whoever has the key of a removed entity now looks after its late upserts. */
function handOver({ removed, entities }: ChangeTracker): void {
  removed.late = removed.late.filter((entry) => {
    const current = entities.ofKey(entry.model, entry.key);
    if (current === undefined) return entry.late.length > 0;
    if (current !== entry) current.late = [...new Set([...current.late, ...entry.late])];
    return false;
  });
}

/** The row of an entity that is tracked. */
function meetRow(entry: TrackedEntity, row: StoredEntity): void {
  const etag = etagOf(row);
  if (entry.isInFlight || entry.inDoubt.length > 0 || entry.etag === undefined || etag === entry.etag) return;
  const evidence = evidenceIn(row, entry);
  if (evidence === undefined) return;
  if (evidence === "id") {
    entry.etag = etag;
    noteWriteHistory(entry, row, etag);
  }
  if (entry.intent.type === "none" && !isAsKnown(entry, row)) entry.explicitlyModified = "all";
}

/** A removed row is there again: it is to be removed once more, unless another entity has its key now. */
function meetRemoved({ entities }: ChangeTracker, removed: TrackedEntity, row: StoredEntity): void {
  const { model, key, late } = removed;
  const evidence = evidenceIn(row, removed);
  const etag = evidence === "id" ? etagOf(row) : removed.etag;
  if (entities.ofKey(model, key) !== undefined || evidence === undefined || etag === undefined) return;
  // Its owner may have added the instance anew, under another key.
  const isFree =
    entities.ofEntity(removed.entity) === undefined && !isTrackedElsewhere(removed.entity, entities);
  const entity = isFree ? removed.entity : stubOf(model, key);
  const entry = trackedEntity(model, entity, key, { intent: { type: "remove" }, etag });
  entry.late = late;
  entities.add(entry);
}

/** Whether the latest write of a row is one of these: certainly, by its id, or as it seems by its content. */
function evidenceIn(row: StoredEntity, entry: TrackedEntity): "id" | "consistent" | undefined {
  const found = entry.late.map((write) => {
    const change = ownChange(write, entry);
    return change === undefined ? undefined : evidenceOf(change, row, undefined);
  });
  return found.find((one) => one === "id" || one === "consistent");
}
