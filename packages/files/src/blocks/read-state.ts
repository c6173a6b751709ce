import type { TableContext } from "@partita/core";
import { closed, reclaimed, type VersionPlace } from "../errors/file-errors.ts";
import type { StateRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";

/** The state of a version's blocks, tracked. @throws FileError `file.reclaimed` */
export async function readState(
  store: FileStore,
  context: TableContext,
  { path, version }: VersionPlace,
  signal: AbortSignal | undefined,
): Promise<StateRow> {
  const state = await context.find(store.rows.StateRow, { path, version, row: "!" }, { signal });
  if (state === undefined || state.state === "reclaiming") throw reclaimed({ path, version });
  return state;
}

/** The same, for writing. @throws FileError `file.closed`, `file.reclaimed` */
export async function readOpenState(
  ...[store, context, place, signal]: Parameters<typeof readState>
): Promise<StateRow> {
  const state = await readState(store, context, place, signal);
  if (state.state === "closed") throw closed(place);
  return state;
}

/** Prevents further writes to a version, or also reads. */
export async function closeState(
  store: FileStore,
  place: VersionPlace,
  to: "closed" | "reclaiming",
  signal: AbortSignal | undefined,
): Promise<void> {
  await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const { path, version } = place;
    const state = await context.find(store.rows.StateRow, { path, version, row: "!" }, { signal });
    if (state === undefined || state.state === to || state.state === "reclaiming") return true;
    state.state = to;
    return (await saveOnce(context, { place, what: "the end", signal })) || undefined;
  });
}

/**
 * Prevents further writes to versions that are no longer current. Their rows already say so; if this fails,
 * they are closed when they are reclaimed.
 */
export async function closeVersions(
  store: FileStore,
  places: readonly VersionPlace[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const place of places) await closeState(store, place, "closed", signal).catch(() => undefined);
}
