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

/** Which run. */
export interface RunKey {
  readonly workflow: string;
  readonly run: string;
}

/** Where runs are recorded. */
export interface RunStore {
  readonly storage: TableStorage;
  readonly clock: Clock;
}

/** What is stored of a run, in a context that tracks its row only. */
export interface StoredRun {
  readonly context: TableContext;
  readonly row: RunRow;
  /** By their numbers. */
  readonly steps: Map<number, StepRecord>;
}

/**
 * Reads a run in a context of its own; undefined where nothing is stored of it.
 *
 * @param known - its steps, as far as this delivery knows them: recorded steps never change, and are not read again where
 *   these are all
 */
export async function readRun(
  { storage, clock }: RunStore,
  key: RunKey,
  signal?: AbortSignal,
  known: ReadonlyMap<number, StepRecord> = new Map(),
): Promise<StoredRun | undefined> {
  const context = new TableContext(storage, { clock });
  try {
    // First the row: steps that are recorded in between are seen, and the row's version is then an older one.
    const row = await context.find(RunRow, key, { signal });
    if (row === undefined) return undefined;
    if (row.steps === known.size) return { context, row, steps: new Map(known) };
    const steps = new Map<number, StepRecord>();
    const recorded = context.query(StepRow).where(key).mergeOption("noTracking");
    for await (const step of recorded.stream({ signal })) steps.set(step.n, step);
    return { context, row, steps };
  } catch (error) {
    if (isTableNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Stores a run's row; the table is created where it is not there.
 *
 * @throws SaveError where somebody else was first, too
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

/** Whether the table of runs is not there: no run was ever started. */
export const isTableNotFound = (error: unknown): boolean =>
  StorageError.is(error) && error.code === "storage.table-not-found";

/** Whether a run is still the work of this delivery. */
export const isOwn = ({ row }: StoredRun, { messageId, deliveries }: Delivery): boolean =>
  row.owner === messageId && row.delivery === deliveries;

/** Whether somebody else wrote the row of a run, or our own write may yet be stored: what is there has to be read again. */
export const isOvertaken = (error: unknown): boolean =>
  SaveError.is(error) &&
  error.results.some(({ outcome, error: cause }) => outcome === "unknown" || ConflictError.is(cause));
