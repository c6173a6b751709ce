import { FileError } from "../errors/file-error.ts";
import type { TableContext } from "@partita/core";
import { full, type VersionName, type VersionPlace } from "../errors/file-errors.ts";
import { blockRow, bytesOf, setBytes } from "../rows/block-bytes.ts";
import { contextOf, type FileStore, keepsReplaced, nowOf, versionRows } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { type Block, maxBlock } from "./block.ts";
import type { BlockRow, DeletedRow } from "../rows/rows.ts";
import { keepBlock } from "./old-blocks.ts";
import { readFirstRows } from "./read-blocks.ts";
import { readDeleted, readOpenState } from "./read-state.ts";

type Signal = AbortSignal | undefined;

/** Reads one block. Undefined if it was never written, or was deleted. @throws FileError `file.damaged` */
export async function readBlock(
  store: FileStore,
  place: VersionPlace,
  id: bigint,
  signal: Signal,
): Promise<Uint8Array | undefined> {
  const { path, version } = place;
  const row = await contextOf(store).find(versionRows(store, place), { path, version, id }, { signal });
  return row && bytesOf(row as BlockRow);
}

/**
 * Writes a block with an id and replaces an existing one. All ids up to it then count as used.
 *
 * @returns whether there was one
 */
export async function writeBlock(
  store: FileStore,
  place: VersionPlace,
  { id, bytes }: Block,
  signal: Signal,
): Promise<boolean> {
  if (id > maxBlock) throw full(place);
  const { path, version } = place;
  const rows = versionRows(store, place);
  return untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const [state, there] = await Promise.all([
      readOpenState(store, context, place, signal),
      context.find(rows, { path, version, id }, { signal }),
    ]);
    state.bytes += BigInt(bytes.byteLength - (there?.size ?? 0));
    const now = nowOf(store);
    if (there === undefined) {
      context.add(blockRow(rows, place, { id, bytes }, now));
      state.blocks += 1n;
    } else {
      keepBlock(store, context, place, there as BlockRow, now);
      setBytes(there as BlockRow, bytes);
      if (keepsReplaced(store, place)) there.writtenAt = now;
    }
    if (id >= state.next) state.next = id + 1n;
    // Protects against a version that is closed meanwhile, and against a second write.
    context.touch(state);
    const isSaved = await saveOnce(context, { place, what: `the write of block ${id}`, signal });
    return isSaved ? there !== undefined : undefined;
  });
}

/** @returns false if there was no such block */
export async function deleteBlock(
  store: FileStore,
  place: VersionPlace,
  id: bigint,
  signal: Signal,
): Promise<boolean> {
  const { path, version } = place;
  const rows = versionRows(store, place);
  return untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const [deleted, row] = await Promise.all([
      readDeleted(store, context, place, signal),
      context.find(rows, { path, version, id }, { signal }),
    ]);
    if (row === undefined) return false;
    removeBlock(store, context, place, deleted, row as BlockRow);
    return (await saveOnce(context, { place, what: `the delete of block ${id}`, signal })) || undefined;
  });
}

/** The block with the smallest id. @throws FileError `file.reclaimed`, `file.damaged` */
export async function readHead(
  store: FileStore,
  place: VersionPlace,
  signal: Signal,
): Promise<Block | undefined> {
  const { batch } = await readFirstRows(store, contextOf(store), place, { count: 1, signal });
  const [row] = batch.blocks;
  return row && { id: row.id, bytes: bytesOf(row) };
}

/**
 * Removes the block with the smallest id and returns it. Of any number of callers, exactly one receives it.
 *
 * @throws FileError `file.reclaimed`; `file.head-moved` if another block than the expected one is first
 */
export async function deleteHead(
  store: FileStore,
  place: VersionPlace,
  expecting: bigint | undefined,
  signal: Signal,
): Promise<Block | undefined> {
  const head = await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const { deleted, batch } = await readFirstRows(store, context, place, {
      count: 1,
      isTracked: true,
      signal,
    });
    const [row] = batch.blocks;
    if (expecting !== undefined && row?.id !== expecting) throw headMoved(place, expecting);
    if (row === undefined) return { block: undefined };
    // A block that cannot be read is not removed.
    const block = { id: row.id, bytes: bytesOf(row) };
    removeBlock(store, context, place, deleted, row);
    const isRemoved = await saveOnce(context, { place, what: `the delete of block ${row.id}`, signal });
    return isRemoved ? { block } : undefined;
  });
  return head.block;
}

/** Adds the delete of a block to the changes of a context. */
export function removeBlock(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  deleted: DeletedRow,
  row: BlockRow,
): void {
  keepBlock(store, context, place, row, nowOf(store));
  context.remove(row);
  deleted.blocks += 1n;
  deleted.bytes += BigInt(row.size);
}

const headMoved = ({ path, version }: VersionName, expecting: bigint): FileError =>
  new FileError(
    "file.head-moved",
    `The first block of version ${version} of ${JSON.stringify(path)} is no longer block ${expecting}: another program has taken it. Call readHead() again.`,
    { path, version, expecting: String(expecting) },
  );
