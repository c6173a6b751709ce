import { changeBy } from "./change-by.ts";
import { messageOf } from "../../values/errors/built-ins.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { entitiesOnly, type UnreadableRowPolicy } from "../../model/codec/unreadable-row.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { SaveError } from "../save/save-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import { checkLateErrors } from "../save/describe-save.ts";
import type { BulkChange, BulkProgress, BulkSource } from "../../query/options/bulk-options.ts";
import type { ReadOptions } from "../../query/options/read-options.ts";
import type { ContextParts } from "./context-parts.ts";

/** Maximum number of attempts for entities that other writers change in between. */
const maxAttempts = 5;

/** The change that a query makes to each of its rows. */
interface BulkWork {
  readonly open: () => ContextParts;
  /** Called for rows that may have changed. */
  readonly onWritten: (row: CheckedRow) => void;
  /** Whether the query read its rows without properties. Rows that are read again have them. */
  readonly isKeysOnly: boolean;
  /** Checks whether a row that was read again still matches the query. */
  readonly check: (row: StoredEntity) => CheckedRow | undefined;
  readonly change: BulkChange;
  readonly request: ReadOptions;
  /** Errors of hooks that failed after a save. */
  readonly lateErrors: unknown[];
}

/**
 * Changes every row of a query, page by page, each page in its own context, so memory does not grow with the result.
 * Rows that another writer changes in between are read again, and skipped if they no longer match. The query's own
 * context learns which of its entities are stale.
 */
export function bulkSourceOf(
  { options, tracker, openOther, hooks }: ContextParts,
  unreadableRows: UnreadableRowPolicy,
): BulkSource {
  // Automatic tracking: changes made by the callback are saved without being named.
  const { requestBudget: _budget, tracking: _tracking, ...rest } = options;
  const open = (): ContextParts => openOther({ ...rest, unreadableRows: entitiesOnly(unreadableRows) });
  const onWritten = ({ model, row }: CheckedRow): void => {
    const tracked = tracker.entities.ofKey(model, keyOfStored(row));
    if (tracked !== undefined) tracked.isStale = true;
  };
  const { materialized, saving, saved } = hooks;
  return {
    hasHooks: materialized !== undefined || saving !== undefined || saved !== undefined,
    run: async (pages, isKeysOnly, check, change, { onProgress, signal, retry }) => {
      const lateErrors: unknown[] = [];
      const request = { signal, retry };
      const work: BulkWork = { open, onWritten, isKeysOnly, check, change, request, lateErrors };
      let progress: BulkProgress = { read: 0, written: 0, skipped: 0 };
      const failures: SaveResult[] = [];
      try {
        for await (const rows of pages) {
          signal?.throwIfAborted();
          const results = await writePage(work, rows);
          const failed = results.filter(({ outcome }) => outcome !== "committed");
          failures.push(...failed);
          progress = {
            read: progress.read + rows.length,
            written: progress.written + results.length - failed.length,
            skipped: progress.skipped + rows.length - results.length,
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
    },
  };
}

async function writePage(work: BulkWork, rows: readonly CheckedRow[]): Promise<SaveResult[]> {
  const page = work.open();
  await using context = page.context;
  let open = rows;
  const done: SaveResult[] = [];
  try {
    for (let attempt = 1; open.length > 0; attempt++) {
      const byEntity = await changeRows(work, page, open, attempt === 1 && work.isKeysOnly);
      const results = await context
        .saveChanges(work.request)
        .catch((error: unknown) => resultsOf(error, work.lateErrors));
      const rowOf = ({ entity }: SaveResult): CheckedRow => byEntity.get(entity) as CheckedRow;
      const isOwn = ({ entity }: SaveResult): boolean => byEntity.has(entity);
      const own = results.filter(isOwn);
      // With an unknown outcome, the change may be stored.
      for (const result of own) if (result.outcome !== "rejected") work.onWritten(rowOf(result));
      const isOpen = (result: SaveResult): boolean => attempt < maxAttempts && mayBeRetried(result);
      done.push(...own.filter((result) => !isOpen(result)));
      // Changes that hooks add are added again when their row is retried.
      done.push(...results.filter((result) => !isOwn(result) && isFailure(result)));
      context.clear({ discard: true });
      open = await readAgain(work, page, own.filter(isOpen).map(rowOf));
    }
  } finally {
    context.clear({ discard: true });
  }
  return done;
}

async function changeRows(
  { change }: BulkWork,
  { reader, tracker }: ContextParts,
  rows: readonly CheckedRow[],
  isKeysOnly: boolean,
): Promise<Map<object, CheckedRow>> {
  const byEntity = new Map<object, CheckedRow>();
  for (const checked of rows) {
    const { model, row } = checked;
    const loaded = isKeysOnly ? model.properties.map(() => false) : undefined;
    const how = { merge: "appendOnly", readAt: tracker.revision, loaded } as const;
    const entity = reader.materialize({ model, row }, how);
    // The row cannot be upgraded.
    if (entity === undefined) continue;
    byEntity.set(entity, checked);
    if (change === "remove") tracker.remove(entity);
    else await changeBy("updateAll()", entity, change);
  }
  return byEntity;
}

/** The rows as stored now, if they still match the query. */
async function readAgain(
  { check, request }: BulkWork,
  { storage }: ContextParts,
  rows: readonly CheckedRow[],
): Promise<CheckedRow[]> {
  const found = await inParallel(rows, pointReads, ({ row, model }) =>
    storage.get(model.table, keyOfStored(row), { ...request, mayBeStale: false }),
  );
  return found.map((row) => row && check(row)).filter((checked) => checked !== undefined);
}

const isFailure = ({ outcome, aborted }: SaveResult): boolean => outcome !== "committed" && aborted !== true;

/** Refused because another writer was first, for this row or for one in the same transaction. */
const mayBeRetried = ({ outcome, aborted, error }: SaveResult): boolean =>
  outcome === "rejected" && (aborted === true || (ConflictError.is(error) && error.reason !== "unique"));

/** The results in a save's error. A hook that failed after the save is reported at the end. */
function resultsOf(error: unknown, lateErrors: unknown[]): readonly SaveResult[] {
  if (!SaveError.is(error)) throw error;
  if (error.code === "save.hook-failed") lateErrors.push(error.cause);
  return error.results;
}

function bulkFailed(failures: readonly SaveResult[], { written }: BulkProgress): SaveError {
  const first = failures.find((failure) => failure.aborted !== true);
  const message = `${written} entities were written and ${failures.length} were not, such as ${first?.subject}: ${first?.error?.message}`;
  return new SaveError("save.failed", message, failures);
}

/** The work ended before all pages were read; earlier changes remain stored. */
function bulkStopped(
  cause: unknown,
  failures: readonly SaveResult[],
  { read, written }: BulkProgress,
): SaveError {
  const message = `Stopped after ${read} rows: ${written} were written and ${failures.length} could not be written: ${messageOf(cause)}`;
  return new SaveError("save.stopped", message, failures, cause);
}
