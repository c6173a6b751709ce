import type { EntityClass, Query, TableContext } from "@partita/core";
import type { VersionPlace } from "../errors/file-errors.ts";
import { type BlockRow, byKind, type DeletedRow, type StateRow } from "../rows/rows.ts";
import { contextOf, type FileStore, versionRows } from "../store/file-store.ts";
import { allIds, type IdRange } from "./block.ts";
import { checkState } from "./read-state.ts";

type Signal = AbortSignal | undefined;

/** Approximate bytes of one request. A page of the service has 4 MiB, with bytes in base64. */
const pageBytes = 2_950_000;

/** Blocks of the first request, before the size of blocks is known. */
const firstBlocks = 4;

/** The limit even if blocks were small so far, because later ones may be large. */
const mostBlocks = 100;

/** The limit if all blocks together fit a page: the rows of a page. */
const mostSmallBlocks = 1000;

/** The blocks of a version within a range of ids, in order. */
export function blocksOf(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  { from, to }: IdRange = allIds,
): Query<BlockRow> {
  const { path, version } = place;
  const rows = context.query(versionRows(store, place) as EntityClass<BlockRow>);
  return rows.where((row) => [row.path.eq(path), row.version.eq(version), row.id.ge(from), row.id.lt(to)]);
}

/** The rows of a version, from its state on. */
export interface FirstRows {
  readonly state: StateRow;
  readonly deleted: DeletedRow;
  readonly batch: Batch;
}

interface FirstRowsOptions {
  readonly count?: number;
  readonly isTracked?: boolean;
  readonly signal: Signal;
}

/** Consecutive blocks. */
export interface Batch {
  readonly blocks: readonly BlockRow[];
  /** Whether no others follow. */
  readonly isLast: boolean;
  /** The bytes of all blocks of the version, if they were counted. */
  readonly allBytes?: bigint;
}

/**
 * Reads the state of a version together with its first blocks.
 *
 * @throws FileError `file.reclaimed`
 */
export async function readFirstRows(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  { count = firstCount(store, place), isTracked = false, signal }: FirstRowsOptions,
): Promise<FirstRows> {
  const { path, version } = place;
  const query = context
    .query(versionRows(store, place))
    .where((row) => [row.path.eq(path), row.version.eq(version), row.id.lt(allIds.to)])
    .take(2 + count)
    .mergeOption(isTracked ? "appendOnly" : "noTracking");
  const rows = byKind(await query.toArray({ signal }));
  const state = checkState(place, rows.state);
  const deleted = rows.deleted as DeletedRow;
  const { blocks } = rows;
  const batch = { blocks, isLast: blocks.length < count, allBytes: state.bytes - deleted.bytes };
  return { state, deleted, batch };
}

/** For a small version: the most blocks that a write makes, and one more to see that none follows. */
function firstCount({ smallFileBytes, blockSize }: FileStore, { isSmall }: VersionPlace): number {
  const written = isSmall ? Math.ceil(smallFileBytes / blockSize) + 1 : 0;
  return Math.min(mostBlocks, Math.max(firstBlocks, written));
}

/**
 * The block rows of a version in the order of their ids, with as few requests as memory allows.
 *
 * @param first - the blocks from the start of the range on, if they were read already
 */
export async function* readRows(
  store: FileStore,
  place: VersionPlace,
  { from, to }: IdRange,
  signal: Signal,
  first?: Batch,
): AsyncGenerator<BlockRow, undefined> {
  const context = contextOf(store);
  const readBatch = async (next: bigint, count: number): Promise<Batch> => {
    const query = blocksOf(store, context, place, { from: next, to }).take(count).mergeOption("noTracking");
    const blocks = await query.toArray({ signal });
    return { blocks, isLast: blocks.length < count };
  };
  if (from >= to) return;
  const isOnePage = (first?.allBytes ?? pageBytes) < pageBytes;
  const most = isOnePage ? mostSmallBlocks : mostBlocks;
  for (let batch = first ?? (await readBatch(from, firstBlocks)); ;) {
    const { blocks, isLast } = batch;
    for (const block of blocks) if (block.id < to) yield block;
    const last = blocks.at(-1);
    if (last === undefined || isLast || last.id + 1n >= to) return;
    const bytes = blocks.reduce((sum, { size }) => sum + size, 0);
    const fitting = Math.floor((pageBytes * blocks.length) / Math.max(1, bytes));
    batch = await readBatch(last.id + 1n, Math.min(most, Math.max(1, fitting)));
  }
}
