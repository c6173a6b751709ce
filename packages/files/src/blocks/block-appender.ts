import type { TableContext } from "@partita/core";
import { Semaphore } from "@partita/core/internal";
import { closed, full, type VersionPlace } from "../errors/file-errors.ts";
import { blockRow } from "../rows/block-bytes.ts";
import { deletedId, stateId } from "../rows/row-id.ts";
import type { BlockRow, StateRow } from "../rows/rows.ts";
import { contextOf, type FileStore, nowOf, versionRows } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { maxBlock } from "./block.ts";
import { readOpenState } from "./read-state.ts";

/** The state row of a version, and the context that tracks it. */
export interface Tracked {
  readonly context: TableContext;
  readonly state: StateRow;
}

/**
 * Appends blocks to one version, one transaction at a time. Any number of programs may append concurrently.
 */
export class BlockAppender {
  readonly #store: FileStore;
  readonly #place: VersionPlace;
  /** Undefined before the first transaction, and after one that failed. */
  #tracked: Tracked | undefined;
  readonly #appends = new Semaphore(1);

  constructor(store: FileStore, place: VersionPlace) {
    this.#store = store;
    this.#place = place;
  }

  /**
   * Stores the state of a new version with its first blocks, in one transaction.
   *
   * @throws FileError `file.closed` if the version was reclaimed meanwhile
   */
  async begin(blocks: readonly Uint8Array[], signal: AbortSignal | undefined): Promise<void> {
    const context = contextOf(this.#store);
    const state = addState(this.#store, context, this.#place);
    if (!(await this.#save({ context, state }, blocks, signal))) throw closed(this.#place);
  }

  /**
   * Appends blocks atomically, after all blocks that the version ever had.
   *
   * @param blocks - limited in number and size to one transaction
   * @param change - changes the state in the same transaction, or throws
   * @returns the id of the first one
   * @throws FileError `file.closed`, `file.reclaimed`, `file.full`, `file.contended`; `file.in-doubt` if they
   * may or may not be stored
   */
  append(
    blocks: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    change: (state: StateRow) => void = () => undefined,
  ): Promise<bigint> {
    const place = this.#place;
    const tryAppend = async (tracked: Tracked): Promise<bigint | undefined> => {
      // After any failure, the state must be read again.
      this.#tracked = undefined;
      const first = tracked.state.next;
      if (first + BigInt(blocks.length) - 1n > maxBlock) throw full(place);
      change(tracked.state);
      return (await this.#save(tracked, blocks, signal)) ? first : undefined;
    };
    return this.#appends.run(async () => {
      // A state that was read long ago is no contention.
      const first = this.#tracked && (await tryAppend(this.#tracked));
      if (first !== undefined) return first;
      return untilFirst(this.#store, { place, signal }, async () => tryAppend(await this.#read(signal)));
    });
  }

  /** Reads the state that the next append starts from. @throws FileError `file.closed`, `file.reclaimed` */
  readState(signal: AbortSignal | undefined): Promise<StateRow> {
    return this.#appends.run(async () => {
      this.#tracked = await this.#read(signal);
      return this.#tracked.state;
    });
  }

  async #save(
    tracked: Tracked,
    blocks: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { context } = tracked;
    const rows = addBlocks(this.#store, tracked, this.#place, { blocks, writtenAt: nowOf(this.#store) });
    if (!(await saveOnce(context, { place: this.#place, what: "an append", signal }))) return false;
    for (const row of rows) context.detach(row);
    this.#tracked = tracked;
    return true;
  }

  async #read(signal: AbortSignal | undefined): Promise<Tracked> {
    const context = contextOf(this.#store);
    return { context, state: await readOpenState(this.#store, context, this.#place, signal) };
  }
}

/** Adds the rows that count the blocks of a new version to the changes of a context. */
export function addState(store: FileStore, context: TableContext, place: VersionPlace): StateRow {
  const rows = versionRows(store, place);
  const { path, version } = place;
  const none = { path, version, blocks: 0n, bytes: 0n };
  context.create(rows, { ...none, id: deletedId });
  return context.create(rows, { ...none, id: stateId, next: 0n }) as StateRow;
}

/** Adds blocks after all others to the changes of a context. */
export function addBlocks(
  store: FileStore,
  { context, state }: Tracked,
  place: VersionPlace,
  { blocks, writtenAt }: { readonly blocks: readonly Uint8Array[]; readonly writtenAt: Date },
): BlockRow[] {
  return blocks.map((bytes) => {
    const block = { id: state.next, bytes };
    const row = context.add(blockRow(versionRows(store, place), place, block, writtenAt));
    state.next += 1n;
    state.blocks += 1n;
    state.bytes += BigInt(bytes.byteLength);
    return row;
  });
}
