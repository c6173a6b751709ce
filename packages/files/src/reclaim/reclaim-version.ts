import { SaveError, type TableContext } from "@partita/core";
import { closeState } from "../blocks/read-state.ts";
import { blocksOf } from "../blocks/read-blocks.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import { defaultPolicy, type ZonePolicy } from "../paths/zones.ts";
import { contextOf, type FileStore, nowOf } from "../store/file-store.ts";
import { saveOnce } from "../store/save-once.ts";
import { fileKey, findCurrent, versionsOf } from "../versions/find-version.ts";

/**
 * Minimum age of a version before it is reclaimed. A retried insert of its state, sent after a lost response,
 * might still arrive and leave a row that no other row refers to.
 */
const longestRequestMs = 120_000;

/** Rows of one transaction. */
const blocksAtOnce = 100;

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
    if (!(await this.#isDue())) return undefined;
    await closeState(this.#store, this.#place, "reclaiming", this.#signal);
    const removed = await this.#removeBlocks();
    await this.#removeState();
    await this.#removeRow();
    return removed;
  }

  /** Whether the version can be reclaimed. If it is due, marks its row. */
  async #isDue(): Promise<boolean> {
    const context = contextOf(this.#store);
    const row = await context.find(this.#store.rows.FileRow, fileKey(this.#store, this.#place), {
      signal: this.#signal,
    });
    if (row === undefined) return false;
    if (row.state === "reclaimed") {
      await this.#removeOldNumber();
      return false;
    }
    if (this.#ageOf(row.versionCreatedAt) < longestRequestMs) return false;
    if (row.state === "deleted") return this.#isOver(row.deletedAt ?? row.updatedAt, "keepDeletedMs");
    const isGivenUp =
      row.state === "writing" ? this.#isOver(row.updatedAt, "keepWritingMs") : await this.#isReplaced();
    if (!isGivenUp) return false;
    const wasWriting = row.state === "writing";
    row.state = "deleted";
    row.deletedAt = nowOf(this.#store);
    if (!(await saveOnce(context, { place: this.#place, what: "the delete", signal: this.#signal })))
      return false;
    return wasWriting || this.#isOver(row.deletedAt, "keepDeletedMs");
  }

  /** Whether a newer version is current too, because two programs created the path concurrently. */
  async #isReplaced(): Promise<boolean> {
    const current = await findCurrent(this.#store, this.#place.path, this.#signal);
    return current !== undefined && current.version > this.#place.version;
  }

  #isOver(since: Date, policy: keyof ZonePolicy): boolean {
    const { zones, policies } = this.#store;
    const keepMs = policies?.[zones.of(this.#place.path)]?.[policy] ?? defaultPolicy[policy];
    return this.#ageOf(since) >= keepMs;
  }

  #ageOf(time: Date): number {
    return this.#store.clock.now() - time.getTime();
  }

  async #removeBlocks(): Promise<number> {
    const { path, version } = this.#place;
    let removed = 0;
    for (let tries = 0; ;) {
      const context = contextOf(this.#store);
      const blocks = await blocksOf(this.#store, context, this.#place)
        .select("size")
        .take(blocksAtOnce)
        .mergeOption("noTracking")
        .toArray({ signal: this.#signal });
      if (blocks.length === 0) return removed;
      for (const { id } of blocks) context.removeByKey(this.#store.rows.BlockRow, { path, version, id }, "*");
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

  async #removeState(): Promise<void> {
    const { path, version } = this.#place;
    await this.#untilSaved(async (context) => {
      const key = { path, version, row: "!" } as const;
      const state = await context.find(this.#store.rows.StateRow, key, { signal: this.#signal });
      if (state !== undefined) context.remove(state);
    });
  }

  /** The newest number of a path stays, because no number may be used twice. */
  async #removeRow(): Promise<void> {
    await this.#untilSaved(async (context) => {
      const row = await context.find(this.#store.rows.FileRow, fileKey(this.#store, this.#place), {
        signal: this.#signal,
      });
      if (row === undefined || row.state === "reclaimed") return;
      if (await this.#isNewest()) row.state = "reclaimed";
      else context.remove(row);
    });
  }

  /** If the path was created again, the number of an older version is no longer needed. */
  async #removeOldNumber(): Promise<void> {
    if (await this.#isNewest()) return;
    await this.#untilSaved(async (context) => {
      const row = await context.find(this.#store.rows.FileRow, fileKey(this.#store, this.#place), {
        signal: this.#signal,
      });
      if (row !== undefined) context.remove(row);
    });
  }

  async #isNewest(): Promise<boolean> {
    const versions = versionsOf(this.#store, contextOf(this.#store), this.#place.path);
    const newest = await versions.mergeOption("noTracking").first({ signal: this.#signal });
    return newest === undefined || newest.version <= this.#place.version;
  }

  /**
   * Retries if another worker was first, or a response was lost. The next read shows the steps that are
   * already done.
   */
  async #untilSaved(change: (context: TableContext) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      const context = contextOf(this.#store);
      await change(context);
      try {
        await context.saveChanges({ removeMissing: "ignore", signal: this.#signal });
        return;
      } catch (error) {
        if (!SaveError.is(error) || tries === mostTries) throw error;
      }
    }
  }
}
