import type { Query, TableContext } from "@partita/core";
import type { VersionPlace } from "../errors/file-errors.ts";
import type { BlockRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { allIds, type IdRange } from "./block.ts";

/** Approximate bytes of one request. A page of the service has 4 MiB, with bytes in base64. */
const pageBytes = 2_950_000;

/** Blocks of the first request, before the size of blocks is known. */
const firstBlocks = 4;

/** The limit even if blocks were small so far, because later ones may be large. */
const mostBlocks = 100;

/** The blocks of a version within a range of ids, in order. */
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

/** The block rows of a version in the order of their ids, with as few requests as memory allows. */
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
