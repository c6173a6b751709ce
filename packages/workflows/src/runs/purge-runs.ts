import { SaveError, TableContext, type TableStorage } from "@partita/core";
import type { Clock, StoredEntity } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import {
  abortSignal,
  accepted,
  aClock,
  aFunction,
  beginsWith,
  type CheckOptions,
  defineOptions,
  internalTables,
  wholeNumber,
} from "@partita/core/internal";
import { systemClock } from "@partita/core/rest";
import { isTableNotFound, type RunKey } from "./run-record.ts";
import { RunRow, StepRow } from "./run-rows.ts";
import type { AnyWorkflow } from "./workflow.ts";

const dayMs = 86_400_000;

/** Messages live for seven days: one that came a second time must find that its run is done. */
const leastAgeMs = 7 * dayMs;

/** Which runs are purged. */
export interface PurgeOptions {
  /** How long ago they ended at least, in milliseconds: 7 days at least; default 30 days. */
  readonly olderThanMs?: number | undefined;
  /** How they ended; default `["done"]`. A failed run that is purged cannot be retried any more. */
  readonly states?: readonly ("done" | "failed")[] | undefined;
  /** Of which workflow; by default of all. */
  readonly workflow?: Pick<AnyWorkflow, "name"> | undefined;
  /** Called after each run. */
  readonly onProgress?: ((progress: PurgeReport) => void) | undefined;
  /** Pages of rows this call works at together; default 4. Other processes may share the work. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The time; the system's when absent. */
  readonly clock?: Clock | undefined;
}

/** What was purged. */
export interface PurgeReport {
  readonly runs: number;
  readonly steps: number;
}

const check: CheckOptions = defineOptions<PurgeOptions>(
  "purgeRuns(storage, options)",
  {
    olderThanMs: accepted(
      `milliseconds, ${leastAgeMs} (7 days) or more`,
      (value) => typeof value === "number" && value >= leastAgeMs,
    ),
    states: accepted(
      '["done"], ["failed"] or both',
      (value) => Array.isArray(value) && value.every((state) => state === "done" || state === "failed"),
    ),
    workflow: accepted(
      "what defineWorkflow() returned",
      (value) => typeof (value as Partial<AnyWorkflow> | null)?.name === "string",
    ),
    onProgress: aFunction,
    concurrency: wholeNumber(1),
    signal: abortSignal,
    clock: aClock,
  },
  "workflow.option",
);

/**
 * Removes runs that ended long ago, with their steps. It can be stopped at any time, and a later call resumes it. An id is
 * free afterwards: a run that is started under it begins anew.
 *
 * @throws OptionError `workflow.option`; StorageError when requests fail too often, or `signal` stops it
 */
export async function purgeRuns(storage: TableStorage, options: PurgeOptions = {}): Promise<PurgeReport> {
  check(options);
  const { workflow, concurrency, signal, onProgress } = options;
  const purge = new Purge(storage, options);
  const { runTableJob } = await import("@partita/maintenance/internal");
  try {
    await runTableJob(storage, {
      table: internalTables.workflows,
      ...(workflow !== undefined && { filter: partitionsOf(workflow.name) }),
      name: `purge ${workflow?.name.slice(0, 100) ?? ""}`,
      concurrency,
      signal,
      work: async (rows, held) => {
        for (const key of keysOf(rows)) if (await purge.run(key, held)) onProgress?.(purge.report);
      },
    });
  } catch (error) {
    // No run was ever started.
    if (!isTableNotFound(error)) throw error;
  }
  return purge.report;
}

/** The runs of a page of rows, those of which only steps are left included. */
function keysOf(rows: readonly StoredEntity[]): RunKey[] {
  const partitions = new Set(rows.map(({ PartitionKey }) => PartitionKey));
  return [...partitions].flatMap((partition) => {
    const [workflow, run] = partition.split("!").map((part) => escaped.decode(part));
    return workflow === undefined || run === undefined ? [] : [{ workflow, run }];
  });
}

/** A key of a run is the escaped name, the separator, and the escaped id. */
const partitionsOf = (workflow: string): ReturnType<typeof beginsWith> =>
  beginsWith("PartitionKey", `${escaped.encode(workflow) ?? workflow}!`);

/** Steps of one transaction, beside the run's own row. */
const stepsAtOnce = 99;

class Purge {
  readonly #storage: TableStorage;
  readonly #states: readonly string[];
  readonly #clock: Clock;
  readonly #endedBefore: number;
  #runs = 0;
  #steps = 0;

  constructor(
    storage: TableStorage,
    { olderThanMs = 30 * dayMs, states = ["done"], clock = systemClock }: PurgeOptions,
  ) {
    this.#storage = storage;
    this.#states = states;
    this.#clock = clock;
    this.#endedBefore = clock.now() - olderThanMs;
  }

  get report(): PurgeReport {
    return { runs: this.#runs, steps: this.#steps };
  }

  /** Removes a run where it ended long enough ago, or the steps that an earlier purge has left of it. */
  async run(key: RunKey, signal: AbortSignal): Promise<boolean> {
    const context = this.#context();
    const row = await context.find(RunRow, key, { signal });
    const isOld = row?.endedAt !== undefined && row.endedAt.getTime() <= this.#endedBefore;
    if (row !== undefined && !(isOld && this.#states.includes(row.state))) return false;
    if (row !== undefined) context.remove(row);
    // The run goes first: what is left of it is never taken for a run that can go on.
    if (!(await this.#removeSteps(context, key, signal))) return false;
    if (row !== undefined) this.#runs++;
    while (await this.#removeSteps(this.#context(), key, signal));
    return row !== undefined;
  }

  /** Removes some steps, with what the context removes beside. @returns whether anything was removed */
  async #removeSteps(context: TableContext, key: RunKey, signal: AbortSignal): Promise<boolean> {
    const steps = await context
      .query(StepRow)
      .where(key)
      .select("recordedAt")
      .take(stepsAtOnce)
      .mergeOption("noTracking")
      .toArray({ signal });
    // Those of a run that was begun anew meanwhile stay.
    const old = steps.filter(({ recordedAt }) => recordedAt.getTime() <= this.#endedBefore);
    for (const { n } of old) context.removeByKey(StepRow, { ...key, n }, "*");
    if (context.pendingChanges().length === 0) return false;
    try {
      await context.saveChanges({ batch: "atomic", removeMissing: "ignore", signal });
    } catch (error) {
      // Somebody has changed the run, or purges it, too; the next call sees what is left.
      if (SaveError.is(error) && error.conflicts.length > 0) return false;
      throw error;
    }
    this.#steps += old.length;
    return true;
  }

  #context(): TableContext {
    return new TableContext(this.#storage, { clock: this.#clock });
  }
}
