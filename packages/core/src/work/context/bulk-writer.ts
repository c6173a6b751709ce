import { messageOf } from "../../values/errors/built-ins.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { SaveError } from "../save/save-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { SaveOptions } from "../save/save-options.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import { checkLateErrors } from "../save/describe-save.ts";
import type { ReadOptions } from "../../query/options/read-options.ts";
import type { BulkChange, BulkOptions, BulkProgress, BulkSource } from "../../query/options/bulk-options.ts";

/** A unit of work for one page. */
export interface PageContext extends AsyncDisposable {
  /** The entity of a row; undefined for one that cannot be upgraded and is to be skipped. */
  take(model: EntityModel, row: StoredEntity): object | undefined;
  read(key: EntityKey, options: ReadOptions): Promise<StoredEntity | undefined>;
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
  readonly #onWritten: (model: EntityModel, key: EntityKey) => void;

  constructor(open: () => PageContext, onWritten: (model: EntityModel, key: EntityKey) => void) {
    this.#open = open;
    this.#onWritten = onWritten;
  }

  async run(
    pages: AsyncIterable<readonly CheckedRow[]>,
    check: (row: StoredEntity) => CheckedRow | undefined,
    change: BulkChange,
    { onProgress, signal, retry }: BulkOptions,
  ): Promise<BulkProgress> {
    let progress: BulkProgress = { read: 0, written: 0, skipped: 0 };
    const failures: SaveResult[] = [];
    const lateErrors: unknown[] = [];
    try {
      for await (const rows of pages) {
        signal?.throwIfAborted();
        const results = await this.#writePage(rows, check, change, { signal, retry }, lateErrors);
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
    rows: readonly CheckedRow[],
    check: (row: StoredEntity) => CheckedRow | undefined,
    change: BulkChange,
    request: ReadOptions,
    lateErrors: unknown[],
  ): Promise<SaveResult[]> {
    await using context = this.#open();
    let open = rows;
    const done: SaveResult[] = [];
    try {
      for (let attempt = 1; open.length > 0; attempt++) {
        const byEntity = await this.#change(context, open, change);
        const results = await context
          .saveChanges(request)
          .catch((error: unknown) => resultsOf(error, lateErrors));
        const rowOf = ({ entity }: SaveResult): CheckedRow => byEntity.get(entity) as CheckedRow;
        const isOwn = ({ entity }: SaveResult): boolean => byEntity.has(entity);
        const own = results.filter(isOwn);
        // What is unknown may be stored as well.
        for (const result of own) if (result.outcome !== "rejected") this.#noteWritten(rowOf(result));
        const isOpen = (result: SaveResult): boolean => attempt < maxAttempts && mayBeRetried(result);
        done.push(...own.filter((result) => !isOpen(result)));
        // What hooks added is added again with a row that is tried again.
        done.push(...results.filter((result) => !isOwn(result) && isFailure(result)));
        context.forgetAll();
        open = await this.#readAgain(context, own.filter(isOpen).map(rowOf), check, request);
      }
    } finally {
      context.forgetAll();
    }
    return done;
  }

  async #change(
    context: PageContext,
    rows: readonly CheckedRow[],
    change: BulkChange,
  ): Promise<Map<object, CheckedRow>> {
    const byEntity = new Map<object, CheckedRow>();
    for (const checked of rows) {
      const entity = context.take(checked.model, checked.row);
      if (entity === undefined) continue;
      byEntity.set(entity, checked);
      if (change === "remove") context.remove(entity);
      else await change(entity);
    }
    return byEntity;
  }

  #noteWritten({ model, row }: CheckedRow): void {
    this.#onWritten(model, keyOfStored(row));
  }

  /** What is stored by now, as far as it is still of the query. */
  async #readAgain(
    context: PageContext,
    rows: readonly CheckedRow[],
    check: (row: StoredEntity) => CheckedRow | undefined,
    request: ReadOptions,
  ): Promise<CheckedRow[]> {
    const found = await inParallel(rows, pointReads, ({ row }) => context.read(keyOfStored(row), request));
    return found.map((row) => row && check(row)).filter((checked) => checked !== undefined);
  }
}

const isFailure = ({ outcome, aborted }: SaveResult): boolean => outcome !== "committed" && aborted !== true;

/** Refused because somebody else wrote, or because such a one was in the same transaction. */
const mayBeRetried = ({ outcome, aborted, error }: SaveResult): boolean =>
  outcome === "rejected" && (aborted === true || (ConflictError.is(error) && error.reason !== "unique"));

/** What a failed save reports of each row; a hook that failed after it is reported at the end. */
function resultsOf(error: unknown, lateErrors: unknown[]): readonly SaveResult[] {
  if (!SaveError.is(error)) throw error;
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
  const why = messageOf(cause);
  return new SaveError(
    "save.stopped",
    `Stopped after ${read} rows, of which ${written} were written and ${failures.length} could not be: ${why}`,
    failures,
    cause,
  );
}
