import { SaveError, type TableContext } from "@partita/core";
import { oldBlocksOf } from "../blocks/old-blocks.ts";
import { blocksOf } from "../blocks/read-blocks.ts";
import { readCounts } from "../blocks/read-state.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import { defaultPolicy, type ZonePolicy } from "../paths/zones.ts";
import type { FileRow } from "../rows/rows.ts";
import {
  contextOf,
  type FileStore,
  keepsReplaced,
  nowOf,
  oldRows,
  versionRows,
} from "../store/file-store.ts";
import { saveOnce } from "../store/save-once.ts";

/**
 * Minimum age of a version before it is reclaimed. A retried insert of its state, sent after a lost response,
 * might still arrive and leave a row that no other row refers to.
 */
const longestRequestMs = 120_000;

/** Rows of one transaction. */
const blocksAtOnce = 100;

/** Rows of one transaction, with that of the version. */
const metadataAtOnce = 50;

/** Attempts to delete the same blocks before their errors are reported. */
const mostTries = 8;

/**
 * Reclaims one version if it is due. First its row is marked. Then its state is closed, which prevents
 * further writes of blocks. Then its blocks are deleted, its state, and finally its row. Each step can be
 * repeated, by several workers concurrently.
 */
export class VersionReclaim {
  readonly #store: FileStore;
  readonly #place: VersionPlace;
  readonly #signal: AbortSignal | undefined;

  constructor(store: FileStore, place: VersionPlace, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#place = place;
    this.#signal = signal;
  }

  /** @returns the number of deleted blocks; undefined if there is nothing to reclaim */
  async run(): Promise<number | undefined> {
    if (!(await this.#isDue())) return this.#removeReplaced();
    await this.#close();
    const removed = await this.#removeBlocks();
    await this.#removeOldBlocks(Number.POSITIVE_INFINITY);
    await this.#removeState();
    await this.#removeRow();
    return removed;
  }

  /** Whether the version can be reclaimed. If it is due, marks its row. */
  async #isDue(): Promise<boolean> {
    const context = contextOf(this.#store);
    const row = await this.#find(context);
    if (row === undefined || row.state === "current") return false;
    if (this.#ageOf(row.versionCreatedAt) < longestRequestMs) return false;
    if (row.state === "deleted") return this.#isOver(row.deletedAt ?? row.updatedAt, "keepDeletedMs");
    if (!this.#isOver(row.updatedAt, "keepWritingMs")) return false;
    Object.assign(row, { state: "deleted", deletedAt: nowOf(this.#store) });
    return saveOnce(context, { place: this.#place, what: "the delete", signal: this.#signal });
  }

  /** Removes replaced blocks and metadata of a version that stays. */
  async #removeReplaced(): Promise<number | undefined> {
    if (!keepsReplaced(this.#store, this.#place)) return undefined;
    const until = this.#store.clock.now() - this.#keepMs("keepReplacedMs");
    const removed = await this.#removeOldBlocks(until);
    for (let rows = await this.#oldMetadata(until); rows.length > 0; rows = await this.#oldMetadata(until))
      await this.#untilSaved((context) => this.#removeMetadata(context, rows));
    return removed === 0 ? undefined : removed;
  }

  #find(context: TableContext): Promise<FileRow | undefined> {
    const { path, version } = this.#place;
    return context.find(this.#store.rows.FileRow, { path, version }, { signal: this.#signal });
  }

  #isOver(since: Date, policy: keyof ZonePolicy): boolean {
    return this.#ageOf(since) >= this.#keepMs(policy);
  }

  #keepMs(policy: keyof ZonePolicy): number {
    const { zones, policies } = this.#store;
    return policies?.[zones.of(this.#place.path)]?.[policy] ?? defaultPolicy[policy];
  }

  #ageOf(time: Date): number {
    return this.#store.clock.now() - time.getTime();
  }

  async #removeBlocks(): Promise<number> {
    const { path, version } = this.#place;
    const VersionRow = versionRows(this.#store, this.#place);
    let removed = 0;
    for (let tries = 0; ;) {
      const context = contextOf(this.#store);
      const blocks = await blocksOf(this.#store, context, this.#place)
        .select("size")
        .take(blocksAtOnce)
        .mergeOption("noTracking")
        .toArray({ signal: this.#signal });
      if (blocks.length === 0) return removed;
      for (const { id } of blocks) context.removeByKey(VersionRow, { path, version, id }, "*");
      try {
        await context.saveChanges({ batch: "atomic", removeMissing: "ignore", signal: this.#signal });
        removed += blocks.length;
        tries = 0;
      } catch (error) {
        // Another worker deletes them too, or a response was lost. Read the remaining blocks again.
        if (!SaveError.is(error) || ++tries === mostTries) throw error;
      }
    }
  }

  /** Removes blocks that were replaced or deleted before a time. */
  async #removeOldBlocks(until: number): Promise<number> {
    if (!keepsReplaced(this.#store, this.#place)) return 0;
    const { path, version } = this.#place;
    const old = oldBlocksOf(this.#store, contextOf(this.#store), this.#place);
    const pages = old
      .select("size")
      .mergeOption("noTracking")
      .pages({ size: blocksAtOnce, signal: this.#signal });
    let removed = 0;
    for await (const { entities } of pages) {
      const rows = entities.filter(({ replacedAtMs }) => replacedAtMs <= until);
      if (rows.length === 0) continue;
      await this.#untilSaved((context) => {
        for (const { id, replacedAtMs } of rows)
          context.removeByKey(oldRows(this.#store, this.#place), { path, version, id, replacedAtMs }, "*");
      });
      removed += rows.length;
    }
    return removed;
  }

  /** Some metadata that were replaced before a time. */
  async #oldMetadata(until: number): Promise<readonly { readonly replacedAtMs: number }[]> {
    if (!keepsReplaced(this.#store, this.#place)) return [];
    const { path, version } = this.#place;
    const rows = contextOf(this.#store).query(this.#store.rows.OldMetadataRow).where({ path, version });
    const oldest = await rows
      .select("updatedAt")
      .take(metadataAtOnce)
      .mergeOption("noTracking")
      .toArray({ signal: this.#signal });
    return oldest.filter(({ replacedAtMs }) => replacedAtMs <= until);
  }

  #removeMetadata(context: TableContext, rows: readonly { readonly replacedAtMs: number }[]): void {
    const { path, version } = this.#place;
    for (const { replacedAtMs } of rows)
      context.removeByKey(this.#store.rows.OldMetadataRow, { path, version, replacedAtMs }, "*");
  }

  /** Prevents further writes and reads. */
  async #close(): Promise<void> {
    await this.#untilSaved(async (context) => {
      const { state } = await readCounts(this.#store, context, this.#place, this.#signal);
      if (state !== undefined) Object.assign(state, { isClosed: true, isReclaimed: true });
    });
  }

  async #removeState(): Promise<void> {
    await this.#untilSaved(async (context) => {
      const { state, deleted } = await readCounts(this.#store, context, this.#place, this.#signal);
      if (state !== undefined) context.remove(state);
      if (deleted !== undefined) context.remove(deleted);
    });
  }

  /** The number of the version stays in the head of its path, because no number may be used twice. */
  async #removeRow(): Promise<void> {
    for (let isLast = false; !isLast;)
      await this.#untilSaved(async (context) => {
        const [row, metadata] = await Promise.all([
          this.#find(context),
          this.#oldMetadata(Number.POSITIVE_INFINITY),
        ]);
        isLast = row === undefined || metadata.length < metadataAtOnce;
        this.#removeMetadata(context, metadata);
        // Together with the last ones, so none are left if metadata change meanwhile.
        if (row !== undefined && isLast) context.remove(row);
      });
  }

  /**
   * Retries if another worker was first, or a response was lost. The next read shows the steps that are
   * already done.
   */
  async #untilSaved(change: (context: TableContext) => Promise<void> | void): Promise<void> {
    for (let tries = 1; ; tries++) {
      const context = contextOf(this.#store);
      await change(context);
      try {
        await context.saveChanges({ batch: "atomic", removeMissing: "ignore", signal: this.#signal });
        return;
      } catch (error) {
        if (!SaveError.is(error) || tries === mostTries) throw error;
      }
    }
  }
}
