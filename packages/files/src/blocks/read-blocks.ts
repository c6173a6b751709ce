import type { Query, TableContext } from "@partita/core";
import type { VersionPlace } from "../errors/file-errors.ts";
import type { BlockRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { allIds, type IdRange } from "./block.ts";

/** Bytes that are read by one request, about: a page of the service has 4 MiB, and bytes are base64 in it. */
const pageBytes = 2_950_000;

/** Blocks of the first request: the size of blocks is not known before. */
const firstBlocks = 4;

/** Also where blocks were small so far: those behind them may be large. */
const mostBlocks = 100;

/** The blocks of a version whose ids are in a range, in the order of their ids. */
export function blocksOf(
  store: FileStore,
  context: TableContext,
  { path, version }: VersionPlace,
  { from, to }: IdRange = allIds,
): Query<BlockRow> {
  return context
    .query(store.rows.BlockRow)
    .where((block) => [block.path.eq(path), block.version.eq(version), block.id.ge(from), block.id.lt(to)]);
}

/** The rows of a version's blocks in the order of their ids, read by as few requests as memory allows. */
export async function* readRows(
  store: FileStore,
  place: VersionPlace,
  { from, to }: IdRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<BlockRow, undefined> {
  const context = contextOf(store);
  let count = firstBlocks;
  for (let next = from; next < to;) {
    const rows = await blocksOf(store, context, place, { from: next, to })
      .take(count)
      .mergeOption("noTracking")
      .toArray({ signal });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < count) return;
    next = last.id + 1n;
    const bytes = rows.reduce((sum, { size }) => sum + size, 0);
    count = Math.min(mostBlocks, Math.max(1, Math.floor((pageBytes * rows.length) / Math.max(1, bytes))));
  }
}
