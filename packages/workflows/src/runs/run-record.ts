import {
  ConflictError,
  createTables,
  SaveError,
  StorageError,
  TableContext,
  type TableStorage,
} from "@partita/core";
import type { Clock } from "@partita/core/storage";
import type { Delivery } from "../delivery/work.ts";
import { type StepRecord, runClasses, RunRow, StepRow } from "./run-rows.ts";

/** Identifies a run. */
export interface RunKey {
  readonly workflow: string;
  readonly run: string;
}

/** The storage of runs. */
export interface RunStore {
  readonly storage: TableStorage;
  readonly clock: Clock;
}

/** The row of a run, in a context that tracks nothing else. */
export interface StoredRow {
  readonly context: TableContext;
  readonly row: RunRow;
}

/** The stored data of a run. */
export interface StoredRun extends StoredRow {
  /** By number. */
  readonly steps: Map<number, StepRecord>;
}

/** Reads the row of a run in a context of its own. Undefined if nothing is stored of it. */
export async function readRow(
  { storage, clock }: RunStore,
  key: RunKey,
  signal?: AbortSignal,
): Promise<StoredRow | undefined> {
  const context = new TableContext(storage, { clock });
  try {
    const row = await context.find(RunRow, key, { signal });
    return row && { context, row };
  } catch (error) {
    if (isTableNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Reads the steps of a run after its row. Steps recorded meanwhile are then included, and the row's version is an older
 * one.
 *
 * @param known - the steps that this delivery already has; recorded steps never change, and are not read
 * again if these are all
 */
export async function readSteps(
  { context, row }: StoredRow,
  signal?: AbortSignal,
  known: ReadonlyMap<number, StepRecord> = new Map(),
): Promise<StoredRun> {
  if (row.steps === known.size) return { context, row, steps: new Map(known) };
  const { workflow, run } = row;
  const steps = new Map<number, StepRecord>();
  const recorded = context.query(StepRow).where({ workflow, run }).mergeOption("noTracking");
  for await (const step of recorded.stream({ signal })) steps.set(step.n, step);
  return { context, row, steps };
}

/**
 * Inserts a run's row. Creates the table if it does not exist.
 *
 * @throws SaveError if another worker was first, too
 */
export async function insertRun(store: RunStore, row: RunRow, signal?: AbortSignal): Promise<StoredRun> {
  const { storage, clock } = store;
  const context = new TableContext(storage, { clock });
  context.add(row);
  try {
    await context.saveChanges({ signal });
  } catch (error) {
    if (!isTableMissing(error)) throw error;
    await createTables(storage, runClasses, { clock, signal });
    await context.saveChanges({ signal });
  }
  return { context, row, steps: new Map() };
}

const isTableMissing = (error: unknown): boolean =>
  SaveError.is(error) && error.results.some(({ error: cause }) => isTableNotFound(cause));

/** Whether the table of runs does not exist, because no run was ever started. */
export const isTableNotFound = (error: unknown): boolean =>
  StorageError.is(error) && error.code === "storage.table-not-found";

/** Whether a run still belongs to this delivery. */
export const isOwn = ({ row }: StoredRow, { messageId, deliveries }: Delivery): boolean =>
  row.owner === messageId && row.delivery === deliveries;

/**
 * Whether another worker wrote the row of a run, or our own write may still be stored. The run must then be
 * read again.
 */
export const isOvertaken = (error: unknown): boolean =>
  SaveError.is(error) &&
  error.results.some(({ outcome, error: cause }) => outcome === "unknown" || ConflictError.is(cause));
