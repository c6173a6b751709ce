import { noChanges } from "../codec/comparison.ts";
import { stubOf } from "../codec/decode-entity.ts";
import { etagOf } from "../codec/row-layout.ts";
import { isStored } from "../codec/snapshot.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import type { PropertyModel } from "../model/entity-model.ts";
import { inParallel } from "../storage/in-parallel.ts";
import { type DeleteOperation, isMerge, type WriteOperation } from "../storage/write-operation.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { changesOf, isEdited } from "../unit-of-work/entity-state.ts";
import { isOver, ownChange, rewrite } from "../unit-of-work/in-doubt-write.ts";
import { isAsKnown } from "../unit-of-work/known-row.ts";
import { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
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
  const entries = tracker.entities.values().filter(({ marks }) => marks.late.length > 0);
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
function meetRow(entry: TrackedEntity, row: StoredEntity, isExplicit: boolean): void {
  const { isInFlight, inDoubt, etag, intent } = entry;
  // Who takes any version knows of none that was overwritten.
  const isKnown = etag !== undefined && etag !== "*";
  if (isInFlight || inDoubt.length > 0 || !isKnown || etag === etagOf(row)) return;
  const found = lateIn(row, entry);
  if (found === undefined) return;
  const { operation } = found;
  // Of the rest of a row, a part has overwritten nothing.
  const isLost = !isAsKnown(
    entry,
    row,
    (name) => !isMerge(operation) || operation.entity[name] !== undefined,
  );
  if (mayTakeVersion(entry, row, found)) takeVersion(entry, row);
  if (isLost && intent.type === "none") storeAgain(entry, found, isExplicit);
}

/** Whether a version differs from the known one by nothing but what the late upsert wrote. */
function mayTakeVersion(entry: TrackedEntity, row: StoredEntity, { evidence, operation }: Late): boolean {
  // Somebody else may have written equal values.
  if (evidence === "consistent") return false;
  // Of a part, its id says nothing of the rest.
  return (
    !isMerge(operation) ||
    isAsKnown(entry.replaced ?? entry, row, (name) => operation.entity[name] === undefined)
  );
}

function takeVersion(entry: TrackedEntity, row: StoredEntity): void {
  const etag = etagOf(row);
  const { intent } = entry;
  entry.etag = etag;
  entry.isStale = false;
  if (intent.type === "add" && intent.replaces !== undefined && etag !== undefined)
    entry.intent = { ...intent, replaces: etag };
  noteWriteHistory(entry, row, etag);
}

/** What was overwritten becomes a pending change: the whole row where all of it is known, else what the upsert wrote. */
function storeAgain(entry: TrackedEntity, { operation }: Late, isExplicit: boolean): void {
  const { snapshot, model, etag } = entry;
  const isEditable = snapshot?.isWhole === true && snapshot.age !== "newer";
  // Edits that nobody named are not sent.
  if (isEditable && etag !== undefined && !(isExplicit && isEdited(entry))) {
    entry.intent = { type: "add", replaces: etag };
    return;
  }
  const { assigned, cleared } = isExplicit ? changesOf(entry) : noChanges;
  const isLost = ({ storedName }: PropertyModel, i: number): boolean =>
    isStored(snapshot?.values[i]) &&
    (!isMerge(operation) || operation.entity[storedName] !== undefined) &&
    !assigned.includes(i) &&
    !cleared.includes(i);
  rewrite(entry, model.properties.filter(isLost));
}

/**
 * A removed row is there again: it is to be removed once more, unless another entity has its key now. An update changes
 * rows and stores none: a row that is there again is then somebody else's.
 */
function meetRemoved({ entities }: ChangeTracker, removed: TrackedEntity, row: StoredEntity): void {
  const { model, key, late } = removed;
  const found = lateIn(row, removed, isUpsert);
  const etag = found?.evidence === "id" ? etagOf(row) : removed.etag;
  if (entities.ofKey(model, key) !== undefined || found === undefined || etag === undefined) return;
  // Its owner may have added the instance anew, under another key.
  const isFree =
    entities.ofEntity(removed.entity) === undefined && !entities.isTrackedElsewhere(removed.entity);
  const entity = isFree ? removed.entity : stubOf(model, key);
  const entry = new TrackedEntity(model, entity, key, { intent: { type: "remove" }, etag });
  entry.late = late;
  entities.add(entry);
}

/** A late upsert that a row shows. */
interface Late {
  readonly evidence: "id" | "consistent";
  readonly operation: Exclude<WriteOperation, DeleteOperation>;
}

/** The late upsert that is the latest write of a row: certainly, by its id, or as it seems by its content. */
function lateIn(
  row: StoredEntity,
  entry: TrackedEntity,
  isMeant: (operation: WriteOperation) => boolean = () => true,
): Late | undefined {
  for (const write of entry.late) {
    const change = ownChange(write, entry);
    if (change === undefined || change.operation.type === "delete" || !isMeant(change.operation)) continue;
    const evidence = evidenceOf(change, row, undefined);
    if (evidence === "id" || evidence === "consistent") return { evidence, operation: change.operation };
  }
  return undefined;
}

const isUpsert = ({ type }: WriteOperation): boolean => type === "upsert-merge" || type === "upsert-replace";
