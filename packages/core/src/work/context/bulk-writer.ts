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

/** How often entities that others change in between are read and written again. */
const maxAttempts = 5;

/** The changes that a query makes to each of its rows. */
interface BulkWork {
  readonly open: () => ContextParts;
  /** Called for rows that may be changed by now. */
  readonly onWritten: (row: CheckedRow) => void;
  /** Whether the rows that the query read have no properties; those that are read again do. */
  readonly isKeysOnly: boolean;
  /** Decides whether a row that was read again still matches the query. */
  readonly check: (row: StoredEntity) => CheckedRow | undefined;
  readonly change: BulkChange;
  readonly request: ReadOptions;
  /** Errors of hooks that failed after a save. */
  readonly lateErrors: unknown[];
}

/**
 * Changes every row of a query, page by page, each page in a context of its own: memory does not grow with the result.
 * Rows that somebody else changes in between are read again, and left alone when they no longer match. The query's
 * own context learns which of its entities are outdated.
 */
export function bulkSourceOf(
  { options, tracker, openOther, hooks }: ContextParts,
  unreadableRows: UnreadableRowPolicy,
): BulkSource {
  // What a callback changes is to be saved without being named.
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
      // What is unknown may be stored as well.
      for (const result of own) if (result.outcome !== "rejected") work.onWritten(rowOf(result));
      const isOpen = (result: SaveResult): boolean => attempt < maxAttempts && mayBeRetried(result);
      done.push(...own.filter((result) => !isOpen(result)));
      // What hooks added is added again with a row that is tried again.
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
    // It cannot be upgraded.
    if (entity === undefined) continue;
    byEntity.set(entity, checked);
    if (change === "remove") tracker.remove(entity);
    else await change(entity);
  }
  return byEntity;
}

/** What is stored by now, as far as it is still of the query. */
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
  const message = `${written} entities were written and ${failures.length} were not, such as ${first?.subject}: ${first?.error?.message}`;
  return new SaveError("save.failed", message, failures);
}

/** The work ended before all pages were read: what was done until then stays done. */
function bulkStopped(
  cause: unknown,
  failures: readonly SaveResult[],
  { read, written }: BulkProgress,
): SaveError {
  const message = `Stopped after ${read} rows, of which ${written} were written and ${failures.length} could not be: ${messageOf(cause)}`;
  return new SaveError("save.stopped", message, failures, cause);
}
