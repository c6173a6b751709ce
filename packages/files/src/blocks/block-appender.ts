import type { TableContext } from "@partita/core";
import { Semaphore } from "@partita/core/internal";
import { full, type VersionPlace } from "../errors/file-errors.ts";
import { blockRow } from "../rows/block-bytes.ts";
import type { BlockRow, StateRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { maxBlock } from "./block.ts";
import { readOpenState } from "./read-state.ts";

/** The state row of a version, and the context that tracks it. */
interface Tracked {
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
   * Appends blocks atomically, after all blocks that the version ever had.
   *
   * @param blocks - limited in number and size to one transaction
   * @returns the id of the first one
   * @throws FileError `file.closed`, `file.reclaimed`, `file.full`, `file.contended`; `file.in-doubt` if they
   * may or may not be stored
   */
  append(blocks: readonly Uint8Array[], signal: AbortSignal | undefined): Promise<bigint> {
    const place = this.#place;
    return this.#appends.run(() =>
      untilFirst(this.#store, { place, signal }, () => this.#tryAppend(blocks, signal)),
    );
  }

  async #tryAppend(
    blocks: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ): Promise<bigint | undefined> {
    const { context, state } = this.#tracked ?? (await this.#read(signal));
    // After any failure, the state must be read again.
    this.#tracked = undefined;
    const first = state.next;
    if (first + BigInt(blocks.length) - 1n > maxBlock) throw full(this.#place);
    state.next = first + BigInt(blocks.length);
    const rows: BlockRow[] = [];
    for (const bytes of blocks) {
      const id = first + BigInt(rows.length);
      rows.push(context.add(blockRow(this.#store.rows, this.#place, id, bytes)));
    }
    if (!(await saveOnce(context, { place: this.#place, what: "an append", signal }))) return undefined;
    for (const row of rows) context.detach(row);
    this.#tracked = { context, state };
    return first;
  }

  async #read(signal: AbortSignal | undefined): Promise<Tracked> {
    const context = contextOf(this.#store);
    return { context, state: await readOpenState(this.#store, context, this.#place, signal) };
  }
}
