import type { VersionPlace } from "../errors/file-errors.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import type { Block, IdRange } from "./block.ts";
import { bytesOf, joinedBytes, partsOf } from "../rows/block-bytes.ts";
import type { BlockRow, OldRow } from "../rows/rows.ts";
import { readRowsAsOf } from "./old-blocks.ts";
import { type FirstRows, readFirstRows, readRows } from "./read-blocks.ts";
import { readState } from "./read-state.ts";

/** The range to read, and whether to follow appended blocks. */
export interface StreamRange extends IdRange {
  /** Whether to continue with blocks that are appended meanwhile, until the version is closed. */
  readonly follow: boolean;
  /** Poll interval of a follower, in milliseconds. */
  readonly pollMs: number;
  /** The time at which the blocks were current. By default now. */
  readonly asOf?: Date | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The blocks of a version, as `streamRows` reads them. */
export async function* streamBlocks(
  ...args: Parameters<typeof streamRows>
): AsyncGenerator<Block, undefined> {
  for await (const row of streamRows(...args)) yield { id: row.id, bytes: bytesOf(row) };
}

/**
 * The same, without copying: the bytes are the only ones in their memory, but may not fill it. For callers
 * that free it.
 */
export async function* streamBlocksInPlace(
  ...args: Parameters<typeof streamRows>
): AsyncGenerator<Block, undefined> {
  for await (const row of streamRows(...args)) {
    const parts = partsOf(row);
    const [first] = parts;
    yield { id: row.id, bytes: first !== undefined && parts.length === 1 ? first : joinedBytes(parts) };
  }
}

/** Their bytes, without copying, in non-empty parts. */
export async function* streamBytes(
  ...args: Parameters<typeof streamRows>
): AsyncGenerator<Uint8Array, undefined> {
  for await (const row of streamRows(...args))
    for (const part of partsOf(row)) if (part.byteLength > 0) yield part;
}

/**
 * Reads the blocks that exist when the read starts. Blocks that are appended meanwhile follow only if
 * `follow` is set.
 *
 * @throws FileError `file.reclaimed` if the version was reclaimed meanwhile and blocks may be missing;
 * `file.damaged`
 */
async function* streamRows(
  store: FileStore,
  place: VersionPlace,
  { from, to, follow, pollMs, asOf, signal }: StreamRange,
): AsyncGenerator<BlockRow | OldRow, undefined> {
  const look = (): ReturnType<typeof readState> => readState(store, contextOf(store), place, signal);
  let first = from === 0n && asOf === undefined ? await readStart(store, place, signal) : undefined;
  let state = first?.state ?? (await look());
  for (let next = from; ;) {
    const end = min(state.next, to);
    const range = { from: next, to: end };
    yield* asOf === undefined
      ? readRows(store, place, range, signal, first?.batch)
      : readRowsAsOf(store, place, range, asOf, signal);
    next = max(next, end);
    const isOver = !follow || next >= to || state.isClosed === true;
    if (isOver && first?.isComplete === true) return;
    first = undefined;
    // Checked even at the end of the range, because blocks that were reclaimed meanwhile would be missing
    // silently.
    state = await look();
    if (isOver) return;
    if (state.next > next || state.isClosed === true) continue;
    await store.clock.wait(pollMs, signal);
  }
}

/** The first rows, and whether these are all blocks of the version, so none of them was reclaimed meanwhile. */
async function readStart(
  store: FileStore,
  place: VersionPlace,
  signal: AbortSignal | undefined,
): Promise<FirstRows & { readonly isComplete: boolean }> {
  const context = contextOf(store);
  const first = await readFirstRows(store, context, place, { signal });
  const { state, deleted, batch } = first;
  const isComplete = batch.isLast && BigInt(batch.blocks.length) >= state.blocks - deleted.blocks;
  return { ...first, isComplete };
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
