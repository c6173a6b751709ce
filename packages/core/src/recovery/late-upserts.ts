import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { inParallel } from "../storage/in-parallel.ts";
import { isOver, ownChange } from "../unit-of-work/in-doubt-write.ts";
import { isAsKnown } from "../unit-of-work/known-row.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
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
export async function findOverwritten(source: RecoverySource, options: ReadBackOptions): Promise<void> {
  const { tracker } = source;
  const entries = tracker.entities.values().filter(({ late }) => late.length > 0);
  const removed = tracker.removed.late;
  if (entries.length === 0 && removed.length === 0) return;
  const meet = async (entry: TrackedEntity, wasRemoved: boolean): Promise<void> => {
    // Before reading: what is read later may still have been on its way.
    const left = entry.late.filter((write) => !isOver(write));
    const { signal } = options;
    const request = { mayBeStale: false, ...(signal && { signal }) };
    const row = await source.storage.get(entry.model.table, entry.key, request);
    if (row !== undefined && wasRemoved) meetRemoved(source, entry, row);
    else if (row !== undefined) meetRow(entry, entry, row);
    entry.late = left;
  };
  const all = [
    ...entries.map((entry) => [entry, false] as const),
    ...removed.map((entry) => [entry, true] as const),
  ];
  // Rows that cannot be read are asked again by the next save.
  await inParallel(all, options.concurrency, ([entry, wasRemoved]) =>
    meet(entry, wasRemoved).catch(() => undefined),
  );
  tracker.removed.late = tracker.removed.late.filter(({ late }) => late.length > 0);
}

/** The row of an entity that is tracked; `source` is whose upsert may have overwritten it. */
function meetRow(entry: TrackedEntity, { late }: TrackedEntity, row: StoredEntity): void {
  const etag = etagOf(row);
  if (entry.isInFlight || entry.inDoubt.length > 0 || entry.etag === undefined || etag === entry.etag) return;
  const evidence = evidenceIn(row, entry, late);
  if (evidence === undefined) return;
  if (evidence === "id") {
    entry.etag = etag;
    noteWriteHistory(entry, row, etag);
  }
  if (entry.intent.type === "none" && !isAsKnown(entry, row)) entry.explicitlyModified = "all";
}

/** A removed row is there again: it is to be removed once more, unless another entity has its key now. */
function meetRemoved(
  { tracker: { entities } }: RecoverySource,
  removed: TrackedEntity,
  row: StoredEntity,
): void {
  const current = entities.ofKey(removed.model, removed.key);
  if (current !== undefined) return meetRow(current, removed, row);
  const evidence = evidenceIn(row, removed, removed.late);
  if (evidence === undefined || removed.etag === undefined) return;
  if (evidence === "id") removed.etag = etagOf(row);
  removed.intent = { type: "remove" };
  entities.add(removed);
}

/** Whether the latest write of a row is one of these: certainly, by its id, or as it seems by its content. */
function evidenceIn(
  row: StoredEntity,
  entry: TrackedEntity,
  late: TrackedEntity["late"],
): "id" | "consistent" | undefined {
  const found = late.map((write) => {
    const change = ownChange(write, entry);
    return change === undefined ? undefined : evidenceOf(change, row, undefined);
  });
  return found.find((one) => one === "id" || one === "consistent");
}
