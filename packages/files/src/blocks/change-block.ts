import { FileError } from "../errors/file-error.ts";
import { full, type VersionPlace } from "../errors/file-errors.ts";
import { blockRow, bytesOf, setBytes } from "../rows/block-bytes.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { type Block, maxBlock } from "./block.ts";
import { blocksOf } from "./read-blocks.ts";
import { readOpenState } from "./read-state.ts";

type Signal = AbortSignal | undefined;

/** Reads one block. Undefined if it was never written, or was deleted. @throws FileError `file.damaged` */
export async function readBlock(
  store: FileStore,
  { path, version }: VersionPlace,
  id: bigint,
  signal: Signal,
): Promise<Uint8Array | undefined> {
  const key = { path, version, id };
  const row = await contextOf(store).find(store.rows.BlockRow, key, { signal });
  return row && bytesOf(row);
}

/** Writes a block with an id and replaces an existing one. All ids up to it then count as used. */
export async function writeBlock(
  store: FileStore,
  place: VersionPlace,
  { id, bytes }: Block,
  signal: Signal,
): Promise<void> {
  if (id > maxBlock) throw full(place);
  await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const state = await readOpenState(store, context, place, signal);
    const { path, version } = place;
    const there = await context.find(store.rows.BlockRow, { path, version, id }, { signal });
    if (there === undefined) context.add(blockRow(store.rows, place, id, bytes));
    else setBytes(there, bytes);
    if (id >= state.next) state.next = id + 1n;
    // Protects against a version that is closed meanwhile, and against a second write.
    else context.update(state, "state");
    return (await saveOnce(context, { place, what: `the write of block ${id}`, signal })) || undefined;
  });
}

/** @returns false if there was no such block */
export async function deleteBlock(
  store: FileStore,
  place: VersionPlace,
  id: bigint,
  signal: Signal,
): Promise<boolean> {
  return untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const { path, version } = place;
    const row = await context.find(store.rows.BlockRow, { path, version, id }, { signal });
    if (row === undefined) return false;
    context.remove(row);
    return (await saveOnce(context, { place, what: `the delete of block ${id}`, signal })) || undefined;
  });
}

/** The block with the smallest id. */
export async function readHead(
  store: FileStore,
  place: VersionPlace,
  signal: Signal,
): Promise<Block | undefined> {
  const row = await blocksOf(store, contextOf(store), place).first({ signal });
  return row && { id: row.id, bytes: bytesOf(row) };
}

/**
 * Removes the block with the smallest id and returns it. Of any number of callers, exactly one receives it.
 *
 * @throws FileError `file.head-moved` if another block than the expected one is first
 */
export async function deleteHead(
  store: FileStore,
  place: VersionPlace,
  expecting: bigint | undefined,
  signal: Signal,
): Promise<Block | undefined> {
  const head = await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const row = await blocksOf(store, context, place).first({ signal });
    if (expecting !== undefined && row?.id !== expecting) throw headMoved(place, expecting);
    if (row === undefined) return { block: undefined };
    // A block that cannot be read is not removed.
    const block = { id: row.id, bytes: bytesOf(row) };
    context.remove(row);
    const isRemoved = await saveOnce(context, { place, what: `the delete of block ${row.id}`, signal });
    return isRemoved ? { block } : undefined;
  });
  return head.block;
}

const headMoved = ({ path, version }: VersionPlace, expecting: bigint): FileError =>
  new FileError(
    "file.head-moved",
    `The first block of version ${version} of ${JSON.stringify(path)} is no longer block ${expecting}: another program has taken it. Call readHead() again.`,
    { path, version, expecting: String(expecting) },
  );
