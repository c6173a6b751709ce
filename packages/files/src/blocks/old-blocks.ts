import type { Query, TableContext } from "@partita/core";
import type { EntityClass } from "@partita/core";
import type { VersionPlace } from "../errors/file-errors.ts";
import { copyBytes } from "../rows/block-bytes.ts";
import type { BlockRow, OldRow } from "../rows/rows.ts";
import { contextOf, type FileStore, keepsReplaced, oldRows } from "../store/file-store.ts";
import { allIds, type IdRange } from "./block.ts";
import { blocksOf } from "./read-blocks.ts";

// Blocks that were replaced or deleted, in zones that keep them. A block was current from `writtenAt` until
// `replacedAtMs`.

/** Keeps a block that is about to be replaced or deleted, in the same transaction. */
export function keepBlock(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  row: BlockRow,
  now: Date,
): void {
  // Otherwise it was current at no time.
  const wasCurrent = row.writtenAt !== undefined && row.writtenAt < now;
  if (!wasCurrent || !keepsReplaced(store, place)) return;
  const { path, version } = place;
  const OldBlockRow = oldRows(store, place);
  const key = { path, version, id: row.id, replacedAtMs: now.getTime() };
  context.add(copyBytes(new OldBlockRow(key) as OldRow, row));
}

/** The replaced blocks of a version within a range of ids. */
export function oldBlocksOf(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  { from, to }: IdRange = allIds,
): Query<OldRow> {
  const { path, version } = place;
  const rows = context.query(oldRows(store, place) as EntityClass<OldRow>);
  return rows.where((row) => [row.path.eq(path), row.version.eq(version), row.id.ge(from), row.id.lt(to)]);
}

/** Blocks of one request. */
const blocksAtOnce = 4;

/** The blocks that were current at a time, in the order of their ids. */
export async function* readRowsAsOf(
  store: FileStore,
  place: VersionPlace,
  { from, to }: IdRange,
  asOf: Date,
  signal: AbortSignal | undefined,
): AsyncGenerator<BlockRow | OldRow, undefined> {
  const context = contextOf(store);
  for (let next = from; next < to;) {
    const range = { from: next, to };
    const blocks = blocksOf(store, context, place, range).take(blocksAtOnce).mergeOption("noTracking");
    const rows = await blocks.toArray({ signal });
    const last = rows.at(-1);
    const end = last === undefined || rows.length < blocksAtOnce ? to : last.id + 1n;
    // Read after the blocks: one that is replaced in between is found here, or was found there.
    const found = await oldAt(store, place, { from: next, to: end }, asOf, signal);
    for (const row of rows) if (row.writtenAt === undefined || row.writtenAt <= asOf) found.set(row.id, row);
    const ids = [...found.keys()].toSorted((a, b) => (a < b ? -1 : 1));
    for (const id of ids) yield found.get(id) as BlockRow | OldRow;
    next = end;
  }
}

async function oldAt(
  store: FileStore,
  place: VersionPlace,
  range: IdRange,
  asOf: Date,
  signal: AbortSignal | undefined,
): Promise<Map<bigint, BlockRow | OldRow>> {
  const found = new Map<bigint, BlockRow | OldRow>();
  if (!keepsReplaced(store, place)) return found;
  const old = oldBlocksOf(store, contextOf(store), place, range).mergeOption("noTracking");
  for await (const { entities } of old.pages({ size: blocksAtOnce, signal }))
    for (const row of entities) {
      const wasCurrent = row.writtenAt !== undefined && row.writtenAt <= asOf;
      if (wasCurrent && row.replacedAtMs > asOf.getTime()) found.set(row.id, row);
    }
  return found;
}
