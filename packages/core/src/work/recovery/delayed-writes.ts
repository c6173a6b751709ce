// Saves and `resolveInDoubt()` call `findOverwritten` to repair delayed writes: a request with a lost response may be
// applied after something newer was stored. It reads the rows at risk and marks lost changes as pending again.

import { decodeEntity } from "../../model/codec/codec-of.ts";
import { stubOf } from "../../model/codec/decode-entity.ts";
import { etagOf, isOfKind } from "../../model/codec/row-layout.ts";
import { notLoaded, restoreStored } from "../../model/codec/snapshot.ts";
import { holdsProperty } from "../../model/codec/supported-row.ts";
import { hasSameProperty } from "../../values/edm/same-value.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { PropertyModel } from "../../model/declaration/entity-model.ts";
import { inParallel } from "../../storage/in-parallel.ts";
import { isMerge, type RowWrite, type WriteOperation } from "../../storage/write-operation.ts";
import { TrackedEntity, union } from "../unit-of-work/tracked-entity.ts";
import { isOver } from "./attempt.ts";
import { judgeChange } from "./find-out.ts";
import type { RowInDoubt } from "./ledger.ts";
import { closeMarker } from "./marker.ts";
import type { RecoverySource } from "./outcome.ts";
import type { ResolveAttemptOptions } from "./resolve-attempts.ts";
import { isUpsert } from "./lost-response-rules.ts";

/**
 * Reads rows that a delayed unconditional write may have overwritten. Lost values become a pending change again, under
 * the known version. Another program may have written the same values, so the next save is refused as a conflict, and
 * the program decides.
 */
export function findOverwritten(source: RecoverySource, options: ResolveAttemptOptions): Promise<unknown> {
  const { ledger, tracker } = source;
  const isTracked = ({ model, key }: RowInDoubt): boolean => tracker.entities.ofKey(model, key) !== undefined;
  ledger.dropGivenUp(isTracked);
  const rows = ledger.rowsWithLate().filter((row) => row.deleted !== undefined || isTracked(row));
  // If a row cannot be read, the next save reads it again.
  return inParallel(rows, options.concurrency, (row) => meet(source, row, options).catch(() => undefined));
}

async function meet(
  source: RecoverySource,
  row: RowInDoubt,
  { signal }: ResolveAttemptOptions,
): Promise<void> {
  const { ledger, tracker, storage, retries } = source;
  const { model, key } = row;
  const late = row.lost.flatMap(({ state, attempt }) => (state === "late" ? [attempt] : []));
  // Checked before reading: an attempt that ends later may still have been in progress during the read.
  const over = new Set(late.filter(isOver));
  for (const attempt of late.filter(({ marker }) => marker !== undefined)) {
    const found = await closeMarker(storage, attempt, retries, signal);
    if (found === "never") ledger.dropLate(row, [attempt]);
    // It was applied, perhaps over something newer.
    else if (found === "applied") over.add(attempt);
  }
  const etag = tracker.entities.ofKey(model, key)?.etag;
  const stored = await storage.get(model.table, key, { mayBeStale: false, ...(signal && { signal }) });
  const entry = tracker.entities.ofKey(model, key);
  // If the entity's ETag has changed meanwhile, the entity is newer than this row.
  if (entry?.etag === etag) {
    if (entry !== undefined) meetTracked(entry, row, stored, tracker.isExplicit);
    else if (stored !== undefined) meetDeleted(source, row, stored);
  }
  ledger.dropLate(row, [...over]);
}

/** The row of an entity that is tracked. */
function meetTracked(
  entry: TrackedEntity,
  row: RowInDoubt,
  stored: StoredEntity | undefined,
  isExplicit: boolean,
): void {
  const { isInFlight, isInDoubt, etag, intent } = entry;
  // With ETag `*` there is no known version to compare.
  const isKnown = etag !== undefined && etag !== "*";
  if (isInFlight || isInDoubt || !isKnown || intent.type !== "none") return;
  if (stored === undefined) {
    const isDeleted = row.lost.some(
      ({ state, change }) => state === "late" && change.operation.type === "delete",
    );
    if (isDeleted) entry.intent = { type: "add", replaces: etag };
    return;
  }
  const operation = etag === etagOf(stored) ? undefined : lateIn(stored, row);
  if (operation !== undefined) storeAgain(entry, stored, operation, isExplicit);
}

/** Marks the overwritten values as a pending change: they differ from the stored row. */
function storeAgain(
  entry: TrackedEntity,
  stored: StoredEntity,
  operation: RowWrite,
  isExplicit: boolean,
): void {
  const { snapshot, model, etag } = entry;
  if (snapshot === undefined || etag === undefined) return;
  if (!isOfKind(model, stored)) {
    entry.intent = { type: "add", replaces: etag };
    return;
  }
  const { snapshot: now } = decodeEntity(model, stored, undefined);
  const [known, present] = [snapshot, now].map(({ values }) =>
    restoreStored(model, entry.key, { values }),
  ) as [StoredEntity, StoredEntity];
  const isLost = (property: PropertyModel, i: number): boolean =>
    snapshot.values[i] !== notLoaded &&
    // A merge has not overwritten the properties that it did not send.
    (!isMerge(operation) || holdsProperty(model, operation.entity, property)) &&
    !hasSameProperty(known, present, property.storedName);
  const lost = new Set(model.properties.filter(isLost));
  if (lost.size === 0) return;
  const values = model.properties.map((property, i) =>
    lost.has(property) ? now.values[i] : snapshot.values[i],
  );
  entry.snapshot = { ...snapshot, values };
  if (isExplicit) entry.explicitlyModified = union(entry.explicitlyModified, lost);
}

/**
 * A deleted row exists again, so it is deleted once more. Updates store no row: a row that exists after a delayed
 * update is another program's.
 */
function meetDeleted({ tracker: { entities } }: RecoverySource, row: RowInDoubt, stored: StoredEntity): void {
  const { model, key, deleted } = row;
  if (deleted?.etag === undefined) return;
  if (lateIn(stored, row, storesRow) === undefined) return;
  // The program may have added the instance again under another key.
  const isFree =
    entities.ofEntity(deleted.entity) === undefined && !entities.isTrackedElsewhere(deleted.entity);
  const entity = isFree ? deleted.entity : stubOf(model, key);
  // With ETag `*`, it might delete another program's row. The next save then finds the conflict.
  const etag = deleted.etag === "*" ? undefined : deleted.etag;
  entities.add(new TrackedEntity(model, entity, key, { intent: { type: "remove" }, etag }));
}

const storesRow = (operation: WriteOperation): boolean => operation.type === "insert" || isUpsert(operation);

/** The delayed write that, judging by its content, last wrote a row. */
function lateIn(
  stored: StoredEntity,
  { lost }: RowInDoubt,
  isMeant: (operation: WriteOperation) => boolean = () => true,
): RowWrite | undefined {
  for (const { state, change } of lost) {
    const { operation } = change;
    if (state !== "late" || operation.type === "delete" || !isMeant(operation)) continue;
    if (judgeChange(change, stored, undefined) === "equal") return operation;
  }
  return undefined;
}
