import type { TableContext } from "@partita/core";
import { closed, reclaimed, type VersionPlace } from "../errors/file-errors.ts";
import { deletedId, stateId } from "../rows/row-id.ts";
import { byKind, type DeletedRow, type StateRow } from "../rows/rows.ts";
import type { VersionRows } from "../rows/version-rows.ts";
import { contextOf, type FileStore, versionRows } from "../store/file-store.ts";

type Signal = AbortSignal | undefined;

/** The state of a version's blocks, tracked. @throws FileError `file.reclaimed` */
export async function readState(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  signal: Signal,
): Promise<StateRow> {
  const { path, version } = place;
  const key = { path, version, id: stateId };
  return checkState(place, await context.find(versionRows(store, place), key, { signal }));
}

/** The count of a version's deleted blocks, tracked. @throws FileError `file.reclaimed` */
export async function readDeleted(
  ...[store, context, place, signal]: Parameters<typeof readState>
): Promise<DeletedRow> {
  const { path, version } = place;
  const key = { path, version, id: deletedId };
  const row = await context.find(versionRows(store, place), key, { signal });
  if (row === undefined) throw reclaimed(place);
  return row as DeletedRow;
}

/** @throws FileError `file.reclaimed` */
export function checkState(place: VersionPlace, state: InstanceType<VersionRows> | undefined): StateRow {
  if (state === undefined || state.isReclaimed === true) throw reclaimed(place);
  return state as StateRow;
}

/** The same, for writing. @throws FileError `file.closed`, `file.reclaimed` */
export async function readOpenState(
  ...[store, context, place, signal]: Parameters<typeof readState>
): Promise<StateRow> {
  const state = await readState(store, context, place, signal);
  if (state.isClosed === true) throw closed(place);
  return state;
}

/** The number of blocks of a version, and of their bytes. */
export interface Totals {
  /** The largest id that a block ever had, plus one. */
  readonly next: bigint;
  readonly blocks: bigint;
  readonly bytes: bigint;
}

/** The rows of a version before its blocks, tracked. */
export async function readCounts(
  ...[store, context, place, signal]: Parameters<typeof readState>
): Promise<ReturnType<typeof byKind>> {
  const { path, version } = place;
  const rows = context.query(versionRows(store, place));
  // Bounded, or the service would read on for rows that may not exist.
  const counts = rows.where((row) => [row.path.eq(path), row.version.eq(version), row.id.lt(0n)]);
  return byKind(await counts.toArray({ signal }));
}

/** Counts the blocks of a version in one request. @throws FileError `file.reclaimed` */
export async function readTotals(store: FileStore, place: VersionPlace, signal: Signal): Promise<Totals> {
  const rows = await readCounts(store, contextOf(store), place, signal);
  const { deleted } = rows;
  const state = checkState(place, rows.state);
  return {
    next: state.next,
    blocks: state.blocks - (deleted?.blocks ?? 0n),
    bytes: state.bytes - (deleted?.bytes ?? 0n),
  };
}

/**
 * Prevents further writes to a version that is no longer current. Its row already says so; if this fails, it
 * is closed when it is reclaimed.
 */
export async function closeVersion(store: FileStore, place: VersionPlace, signal: Signal): Promise<void> {
  const context = contextOf(store);
  markClosed(store, context, place);
  await context.saveChanges({ signal }).catch(() => undefined);
}

/** Adds the end of a version to the changes of a context, without reading its state. */
export function markClosed(store: FileStore, context: TableContext, place: VersionPlace): void {
  const { path, version } = place;
  const VersionRow = versionRows(store, place);
  // Never inserts a row, and never changes whether the version is reclaimed.
  context.attach(new VersionRow({ path, version, id: stateId }), "*").isClosed = true;
}
