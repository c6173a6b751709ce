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

/** Messages live for seven days. A duplicate of a message must still find that its run is done. */
const leastAgeMs = 7 * dayMs;

/** Options for purging runs. */
export interface PurgeOptions {
  /** Minimum time since they ended, in milliseconds: at least 7 days. Default 30 days. */
  readonly olderThanMs?: number | undefined;
  /** States to purge. Default `["done"]`. A failed run that is purged can no longer be retried. */
  readonly states?: readonly ("done" | "failed")[] | undefined;
  /** Only runs of this workflow. By default runs of all workflows. */
  readonly workflow?: Pick<AnyWorkflow, "name"> | undefined;
  /** Called after each run. */
  readonly onProgress?: ((progress: PurgeReport) => void) | undefined;
  /** Pages of rows that this call processes concurrently. Default 4. Other processes may share the work. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The clock. Defaults to the system's. */
  readonly clock?: Clock | undefined;
}

/** Counts of a purge. */
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
      "the result of defineWorkflow()",
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
 * Deletes runs that ended long ago, with their steps. You can stop it at any time; a later call resumes it.
 * Afterwards an id is free: a run that is started with it begins from its first step.
 *
 * @throws OptionError `workflow.option`; StorageError if requests fail too often, or `signal` stops it
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

/** The runs of a page of rows, including runs with only steps left. */
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

/** Steps of one transaction, together with the run's own row. */
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

  /** Deletes a run that ended long enough ago, or the remaining steps of an earlier purge. */
  async run(key: RunKey, signal: AbortSignal): Promise<boolean> {
    const context = this.#context();
    const row = await context.find(RunRow, key, { signal });
    const isOld = row?.endedAt !== undefined && row.endedAt.getTime() <= this.#endedBefore;
    if (row !== undefined && !(isOld && this.#states.includes(row.state))) return false;
    if (row !== undefined) context.remove(row);
    // The run is deleted first, so its remaining steps never look like a run that can continue.
    if (!(await this.#removeSteps(context, key, signal))) return false;
    if (row !== undefined) this.#runs++;
    while (await this.#removeSteps(this.#context(), key, signal));
    return row !== undefined;
  }

  /**
   * Deletes some steps, together with the context's pending deletes.
   *
   * @returns whether anything was deleted
   */
  async #removeSteps(context: TableContext, key: RunKey, signal: AbortSignal): Promise<boolean> {
    const steps = await context
      .query(StepRow)
      .where(key)
      .select("recordedAt")
      .take(stepsAtOnce)
      .mergeOption("noTracking")
      .toArray({ signal });
    // Steps of a run that was restarted meanwhile stay.
    const old = steps.filter(({ recordedAt }) => recordedAt.getTime() <= this.#endedBefore);
    for (const { n } of old) context.removeByKey(StepRow, { ...key, n }, "*");
    if (context.pendingChanges().length === 0) return false;
    try {
      await context.saveChanges({ batch: "atomic", removeMissing: "ignore", signal });
    } catch (error) {
      // Another process changed or purged the run. The next call handles the rest.
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
