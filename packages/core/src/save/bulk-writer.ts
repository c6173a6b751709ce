import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { ConflictError } from "../errors/conflict-error.ts";
import { SaveError } from "./save-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { KindChooser } from "../codec/choose-kind.ts";
import { keyOfStored } from "../codec/row-layout.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { SaveOptions } from "./save-options.ts";
import { inParallel } from "../storage/in-parallel.ts";
import { checkLateErrors } from "./describe-save.ts";
import type { BulkChange, BulkOptions, BulkProgress, BulkSource } from "../query/run/bulk.ts";

/** A unit of work for one page. */
export interface PageContext extends AsyncDisposable {
  /** Tracks the entity of a row. */
  /** The entity of a row; undefined for one that cannot be upgraded and is to be skipped. */
  take(model: EntityModel, row: StoredEntity): object | undefined;
  read(key: EntityKey): Promise<StoredEntity | undefined>;
  remove(entity: object): void;
  saveChanges(options: SaveOptions): Promise<readonly SaveResult[]>;
  forgetAll(): void;
}

/** Rows that are read again at once. */
const maxPointReads = 16;

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
    const lateErrors: unknown[] = [];
    try {
      for await (const rows of pages) {
        signal?.throwIfAborted();
        const results = await this.#writePage(rows, matches, change, signal, lateErrors);
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
    } catch (error) {
      if (progress.read === 0) throw error;
      throw bulkStopped(error, failures, progress);
    }
    if (failures.length > 0) throw bulkFailed(failures, progress);
    checkLateErrors(lateErrors, failures);
    return progress;
  }

  async #writePage(
    rows: readonly StoredEntity[],
    matches: (row: StoredEntity) => boolean,
    change: BulkChange,
    signal: AbortSignal | undefined,
    lateErrors: unknown[],
  ): Promise<SaveResult[]> {
    await using context = this.#open();
    let open = rows;
    const done: SaveResult[] = [];
    try {
      for (let attempt = 1; open.length > 0; attempt++) {
        const byEntity = await this.#change(context, open, change);
        const results = await context
          .saveChanges({ ...(signal && { signal }) })
          .catch((error: unknown) => resultsOf(error, lateErrors));
        const rowOf = ({ entity }: SaveResult): StoredEntity => byEntity.get(entity) as StoredEntity;
        const isOwn = ({ entity }: SaveResult): boolean => byEntity.has(entity);
        const own = results.filter(isOwn);
        // What is unknown may be stored as well.
        for (const result of own) if (result.outcome !== "rejected") this.#noteWritten(rowOf(result));
        const isOpen = (result: SaveResult): boolean => attempt < maxAttempts && mayBeRetried(result);
        done.push(...own.filter((result) => !isOpen(result)));
        // What hooks added is added again with a row that is tried again.
        done.push(...results.filter((result) => !isOwn(result) && isFailure(result)));
        context.forgetAll();
        open = await this.#readAgain(context, own.filter(isOpen).map(rowOf), matches);
      }
    } finally {
      context.forgetAll();
    }
    return done;
  }

  async #change(
    context: PageContext,
    rows: readonly StoredEntity[],
    change: BulkChange,
  ): Promise<Map<object, StoredEntity>> {
    const byEntity = new Map<object, StoredEntity>();
    for (const row of rows) {
      const entity = context.take(this.#chooser.choose(row) as EntityModel, row);
      if (entity === undefined) continue;
      byEntity.set(entity, row);
      if (change === "delete") context.remove(entity);
      else await change(entity);
    }
    return byEntity;
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
    const found = await inParallel(rows, maxPointReads, (row) => context.read(keyOfStored(row)));
    return found.filter((row) => row !== undefined && matches(row)) as StoredEntity[];
  }
}

const isFailure = ({ outcome, aborted }: SaveResult): boolean => outcome !== "committed" && aborted !== true;

/** Refused because somebody else wrote, or because such a one was in the same transaction. */
const mayBeRetried = ({ outcome, aborted, error }: SaveResult): boolean =>
  outcome === "rejected" && (aborted === true || error instanceof ConflictError);

/** What a failed save tells of each row; a hook that failed after it is told at the end. */
function resultsOf(error: unknown, lateErrors: unknown[]): readonly SaveResult[] {
  if (!(error instanceof SaveError)) throw error;
  if (error.code === "save.hook-failed") lateErrors.push(error.cause);
  return error.results;
}

function bulkFailed(failures: readonly SaveResult[], { written }: BulkProgress): SaveError {
  const first = failures.find((failure) => failure.aborted !== true);
  return new SaveError(
    "save.failed",
    `${written} entities were written and ${failures.length} were not, such as ${first?.subject}: ${first?.error?.message}`,
    failures,
  );
}

/** The work ended before all pages were read: what was done until then stays done. */
function bulkStopped(
  cause: unknown,
  failures: readonly SaveResult[],
  { read, written }: BulkProgress,
): SaveError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SaveError(
    "save.stopped",
    `Stopped after ${read} rows, of which ${written} were written and ${failures.length} could not be: ${why}`,
    failures,
    cause,
  );
}
