import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { SaveError, type SaveResult } from "../errors/save-error.ts";
import type { KindChooser } from "../materialize/choose-kind.ts";
import { keyOfStored } from "../materialize/decode-entity.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { SaveOptions } from "./save-options.ts";
import type { BulkChange, BulkOptions, BulkProgress, BulkSource } from "../query/bulk.ts";

/** A unit of work for one page. */
export interface PageContext extends AsyncDisposable {
  /** Tracks the entity of a row. */
  take(model: EntityModel, row: StoredEntity): object;
  read(key: EntityKey): Promise<StoredEntity | undefined>;
  remove(entity: object): void;
  saveChanges(options: SaveOptions): Promise<readonly SaveResult[]>;
  forgetAll(): void;
}

/** How often entities that others change in between are read and written again. */
const maxAttempts = 5;

/**
 * Changes every row of a query, page by page, each page in a context of its own: memory does not grow with the result.
 * Rows that somebody else changes in between are read again, and left alone when they no longer match.
 */
export class BulkWriter implements BulkSource {
  readonly #open: () => PageContext;
  readonly #chooser: KindChooser;
  readonly #onWritten: (model: EntityModel, key: EntityKey) => void;

  constructor(
    open: () => PageContext,
    chooser: KindChooser,
    onWritten: (model: EntityModel, key: EntityKey) => void,
  ) {
    this.#open = open;
    this.#chooser = chooser;
    this.#onWritten = onWritten;
  }

  async run(
    pages: AsyncIterable<readonly StoredEntity[]>,
    matches: (row: StoredEntity) => boolean,
    change: BulkChange,
    { onProgress, signal }: BulkOptions,
  ): Promise<BulkProgress> {
    let progress: BulkProgress = { read: 0, written: 0, skipped: 0 };
    const failures: SaveResult[] = [];
    for await (const rows of pages) {
      const results = await this.#writePage(rows, matches, change, signal);
      const written = results.filter((result) => result.outcome === "committed").length;
      const failed = results.filter((result) => result.outcome !== "committed");
      failures.push(...failed);
      progress = {
        read: progress.read + rows.length,
        written: progress.written + written,
        skipped: progress.skipped + rows.length - written - failed.length,
      };
      onProgress?.(progress);
    }
    if (failures.length > 0) throw bulkFailed(failures, progress);
    return progress;
  }

  async #writePage(
    rows: readonly StoredEntity[],
    matches: (row: StoredEntity) => boolean,
    change: BulkChange,
    signal: AbortSignal | undefined,
  ): Promise<SaveResult[]> {
    await using context = this.#open();
    let open = rows;
    const done: SaveResult[] = [];
    for (let attempt = 1; open.length > 0; attempt++) {
      const byEntity = new Map<object, StoredEntity>();
      for (const row of open) {
        const model = this.#chooser.choose(row) as EntityModel;
        const entity = context.take(model, row);
        byEntity.set(entity, row);
        if (change === "delete") context.remove(entity);
        else await change(entity);
      }
      const results = await context.saveChanges({ ...(signal && { signal }) }).catch(resultsOf);
      for (const result of results) {
        const row = byEntity.get(result.entity) as StoredEntity;
        // What is unknown may be stored as well.
        if (result.outcome !== "rejected") this.#noteWritten(row);
      }
      const isOpen = (result: SaveResult): boolean => attempt < maxAttempts && mayBeRetried(result);
      done.push(...results.filter((result) => !isOpen(result)));
      const again = results.filter(isOpen).map((result) => byEntity.get(result.entity) as StoredEntity);
      context.forgetAll();
      open = await this.#readAgain(context, again, matches);
    }
    return done;
  }

  #noteWritten(row: StoredEntity): void {
    this.#onWritten(this.#chooser.choose(row) as EntityModel, keyOfStored(row));
  }

  /** What is stored by now, as far as it is still of the query. */
  async #readAgain(
    context: PageContext,
    rows: readonly StoredEntity[],
    matches: (row: StoredEntity) => boolean,
  ): Promise<StoredEntity[]> {
    const found = await Promise.all(rows.map((row) => context.read(keyOfStored(row))));
    return found.filter((row) => row !== undefined && matches(row)) as StoredEntity[];
  }
}

/** Refused because somebody else wrote, or because such a one was in the same transaction. */
const mayBeRetried = ({ outcome, aborted, error }: SaveResult): boolean =>
  outcome === "rejected" && (aborted === true || error instanceof ConflictError);

/** What a failed save tells of each row; a hook that failed after it ends the work. */
function resultsOf(error: unknown): readonly SaveResult[] {
  if (error instanceof SaveError && error.code !== "save.hook-failed") return error.results;
  throw error;
}

function bulkFailed(failures: readonly SaveResult[], { written }: BulkProgress): SaveError {
  const first = failures.find((failure) => failure.aborted !== true);
  return new SaveError(
    "save.failed",
    `${written} entities were written and ${failures.length} were not, such as ${first?.subject}: ${first?.error?.message}`,
    failures,
  );
}
