import { leaseLost, type VersionPlace } from "../errors/file-errors.ts";
import { bytesOf } from "../rows/block-bytes.ts";
import type { BlockRow } from "../rows/rows.ts";
import { contextOf, type FileStore, keepsReplaced } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import type { Block } from "./block.ts";
import { removeBlock } from "./change-block.ts";
import { blocksOf, readFirstRows } from "./read-blocks.ts";
import { readDeleted } from "./read-state.ts";
import type { TableContext } from "@partita/core";

type Signal = AbortSignal | undefined;

/** A block that a program holds. */
export interface HeldBlock {
  readonly block: Block;
  /** The random id of the lease. Who leases the block next writes another one. */
  readonly lease: string;
  readonly until: Date;
}

/** Blocks of one request in the search for one that is not leased. */
const searchedAtOnce = 100;

/** Leases the first block that no program holds. Undefined if there is none. */
export async function leaseHead(
  store: FileStore,
  place: VersionPlace,
  forMs: number,
  signal: Signal,
): Promise<HeldBlock | undefined> {
  const held = await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const row = await findFree(store, context, place, signal);
    if (row === undefined) return { block: undefined };
    if (!isFree(store, row)) return undefined;
    // A block that cannot be read is not leased.
    const block = { id: row.id, bytes: bytesOf(row) };
    const lease = crypto.randomUUID();
    const until = new Date(store.clock.now() + forMs);
    Object.assign(row, { lease, leasedUntil: until });
    const isSaved = await saveOnce(context, { place, what: `the lease of block ${row.id}`, signal });
    return isSaved ? { block, lease, until } : undefined;
  });
  return held.block && held;
}

/** The first free block, or one that was free a moment ago. */
async function findFree(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  signal: Signal,
): Promise<BlockRow | undefined> {
  const { batch } = await readFirstRows(store, context, place, { count: 1, isTracked: true, signal });
  const [head] = batch.blocks;
  if (head === undefined || isFree(store, head)) return head;
  const others = blocksOf(store, contextOf(store), place).select("leasedUntil").mergeOption("noTracking");
  for await (const { entities } of others.pages({ size: searchedAtOnce, signal })) {
    const free = entities.find((row) => isFree(store, row));
    if (free !== undefined)
      return (
        (await blocksOf(store, context, place, { from: free.id, to: free.id + 1n }).first({ signal })) ?? head
      );
  }
  return undefined;
}

const isFree = ({ clock }: FileStore, { leasedUntil }: Pick<BlockRow, "leasedUntil">): boolean =>
  leasedUntil === undefined || leasedUntil.getTime() <= clock.now();

/**
 * Changes how long a block is leased.
 *
 * @param next - the id of the lease afterwards; another one ends this lease
 * @throws FileError `file.lease-lost`
 */
export async function setLease(
  store: FileStore,
  place: VersionPlace,
  { block: { id }, lease }: Pick<HeldBlock, "block" | "lease">,
  { until, next = lease }: { readonly until: Date; readonly next?: string },
  signal: Signal,
): Promise<void> {
  await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const row = await findHeld(store, context, place, { id, lease, isWhole: false }, signal);
    Object.assign(row, { lease: next, leasedUntil: until });
    return (await saveOnce(context, { place, what: `the lease of block ${id}`, signal })) || undefined;
  });
}

/** Deletes a leased block. @throws FileError `file.lease-lost` */
export async function deleteLeased(
  store: FileStore,
  place: VersionPlace,
  { block: { id }, lease }: Pick<HeldBlock, "block" | "lease">,
  signal: Signal,
): Promise<void> {
  await untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const [row, deleted] = await Promise.all([
      findHeld(store, context, place, { id, lease, isWhole: keepsReplaced(store, place) }, signal),
      readDeleted(store, context, place, signal),
    ]);
    removeBlock(store, context, place, deleted, row);
    return (await saveOnce(context, { place, what: `the delete of block ${id}`, signal })) || undefined;
  });
}

/** The row of a leased block, without its bytes unless it `isWhole`. */
async function findHeld(
  store: FileStore,
  context: TableContext,
  place: VersionPlace,
  { id, lease, isWhole }: { readonly id: bigint; readonly lease: string; readonly isWhole: boolean },
  signal: Signal,
): Promise<BlockRow> {
  const rows = blocksOf(store, context, place, { from: id, to: id + 1n });
  const row = isWhole
    ? await rows.first({ signal })
    : await rows.select("size", "lease", "leasedUntil").first({ signal });
  if (row?.lease !== lease) throw leaseLost(place, id);
  return row as BlockRow;
}
