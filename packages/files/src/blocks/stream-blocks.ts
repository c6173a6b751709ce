import type { VersionPlace } from "../errors/file-errors.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import type { Block, IdRange } from "./block.ts";
import { bytesOf, joinedBytes, partsOf } from "../rows/block-bytes.ts";
import type { BlockRow } from "../rows/file-rows.ts";
import { readRows } from "./read-blocks.ts";
import { readState } from "./read-state.ts";

/** What is read of a version, and whether for more than there is. */
export interface StreamRange extends IdRange {
  /** Whether blocks that are appended while it is read are read as well, until the version is closed. */
  readonly follow: boolean;
  /** How often a follower looks for more, in milliseconds. */
  readonly pollMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The blocks of a version, as `streamRows` reads them. */
export async function* streamBlocks(
  ...args: Parameters<typeof streamRows>
): AsyncGenerator<Block, undefined> {
  for await (const row of streamRows(...args)) yield { id: row.id, bytes: bytesOf(row) };
}

/** The same, whose bytes are alone in their memory, but may not be all of it: for those who free it. */
export async function* streamBlocksInPlace(
  ...args: Parameters<typeof streamRows>
): AsyncGenerator<Block, undefined> {
  for await (const row of streamRows(...args)) {
    const parts = partsOf(row);
    const [first] = parts;
    yield { id: row.id, bytes: first !== undefined && parts.length === 1 ? first : joinedBytes(parts) };
  }
}

/** Their bytes, in parts as they are read, so that none are copied; none of the parts is empty. */
export async function* streamBytes(
  ...args: Parameters<typeof streamRows>
): AsyncGenerator<Uint8Array, undefined> {
  for await (const row of streamRows(...args))
    for (const part of partsOf(row)) if (part.byteLength > 0) yield part;
}

/**
 * Reads the blocks that a version has when reading begins; what is appended meanwhile only where it is followed.
 *
 * @throws FileError `file.reclaimed` where blocks may be missing since the version was reclaimed meanwhile; `file.damaged`
 */
async function* streamRows(
  store: FileStore,
  place: VersionPlace,
  { from, to, follow, pollMs, signal }: StreamRange,
): AsyncGenerator<BlockRow, undefined> {
  const look = (): ReturnType<typeof readState> => readState(store, contextOf(store), place, signal);
  let state = await look();
  for (let next = from; ;) {
    const end = min(state.next, to);
    yield* readRows(store, place, { from: next, to: end }, signal);
    next = max(next, end);
    // Also where nothing more is wanted: blocks that were reclaimed on the way would be missing without a word.
    const isOver = !follow || next >= to || state.state === "closed";
    state = await look();
    if (isOver) return;
    if (state.next > next || state.state === "closed") continue;
    await store.clock.wait(pollMs, signal);
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
