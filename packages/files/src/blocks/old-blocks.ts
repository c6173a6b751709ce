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
    const left = rows.filter(({ writtenAt }) => writtenAt === undefined || writtenAt <= asOf);
    // Read after the blocks: one that is replaced in between is found here, or was found there.
    for await (const old of oldAt(store, place, { from: next, to: end }, asOf, signal)) {
      while (left[0] !== undefined && left[0].id < old.id) yield left.shift() as BlockRow;
      if (left[0]?.id !== old.id) yield old;
    }
    yield* left;
    next = end;
  }
}

/** The replaced blocks that were current at a time, in the order of their ids. */
async function* oldAt(
  store: FileStore,
  place: VersionPlace,
  range: IdRange,
  asOf: Date,
  signal: AbortSignal | undefined,
): AsyncGenerator<OldRow, undefined> {
  if (!keepsReplaced(store, place)) return;
  const old = oldBlocksOf(store, contextOf(store), place, range).mergeOption("noTracking");
  // If the clocks of programs differ, a block may have several: the last counts.
  let found: OldRow | undefined;
  for await (const { entities } of old.pages({ size: blocksAtOnce, signal }))
    for (const row of entities) {
      const wasCurrent = row.writtenAt !== undefined && row.writtenAt <= asOf;
      if (!wasCurrent || row.replacedAtMs <= asOf.getTime()) continue;
      if (found !== undefined && found.id !== row.id) yield found;
      found = row;
    }
  if (found !== undefined) yield found;
}
