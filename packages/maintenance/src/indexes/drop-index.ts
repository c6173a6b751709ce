import type { EntityClass, TableStorage } from "@partita/core";
import {
  type CheckOptions,
  defineOptions,
  followPages,
  patientlyBy,
  type Retries,
  retriesOf,
  retryReads,
} from "@partita/core/internal";
import { IndexStates } from "@partita/core/internal/jobs";
import type { StoredEntity } from "@partita/core/storage";
import { buildJobName, type IndexJobOptions } from "./build-index.ts";
import type { IndexDropReport } from "./index-report.ts";
import { IndexTarget } from "./index-target.ts";
import { jobChecks } from "../jobs/job-checks.ts";
import { checkJobTable, restartJob } from "../jobs/job-record.ts";
import { Pace } from "../jobs/pace.ts";
import { removeRows } from "../jobs/remove-rows.ts";
import { jobRetry, TableJob } from "../jobs/table-job.ts";

const checkOptions: CheckOptions = defineOptions<IndexJobOptions>(
  "dropIndex(storage, classes, name, options)",
  jobChecks,
  "maintenance.option",
);

/** Deletes the rows of a retired index; `index-jobs.ts` has the public documentation. */
export async function dropIndex(
  storage: TableStorage,
  classes: EntityClass | readonly EntityClass[],
  name: string,
  options: IndexJobOptions = {},
): Promise<IndexDropReport> {
  checkOptions(options);
  const target = new IndexTarget(classes, name);
  target.checkState(
    ["retired"],
    "its rows are in use",
    'Declare state: "retired" in every program that reads or writes the class, then drop it.',
  );
  target.checkAlone();
  checkJobTable(target.table);
  return new IndexDrop(storage, target, name, options).run();
}

class IndexDrop {
  readonly #storage: TableStorage;
  readonly #target: IndexTarget;
  readonly #name: string;
  readonly #options: IndexJobOptions;
  readonly #retries: Retries;
  readonly #pace: Pace;
  readonly #states: IndexStates;
  #read = 0;
  #removed = 0;

  constructor(storage: TableStorage, target: IndexTarget, name: string, options: IndexJobOptions) {
    this.#retries = retriesOf(storage, jobRetry);
    this.#storage = retryReads(storage, this.#retries);
    this.#target = target;
    this.#name = name;
    this.#options = options;
    this.#pace = new Pace(options.rate);
    this.#states = new IndexStates(storage);
  }

  async run(): Promise<IndexDropReport> {
    const { concurrency, claimTimeoutMs, signal } = this.#options;
    const { table } = this.#target;
    const job = new TableJob(this.#storage, {
      table,
      filter: this.#target.filter(),
      name: this.#target.jobName("drop"),
      concurrency,
      claimTimeoutMs,
      retries: this.#retries,
      signal,
      work: (rows, held) => this.#removePage(rows, held),
    });
    await job.open();
    await this.#states.record(this.#target.indexes, "retired", { signal });
    // The index may be declared again and must then be built from the beginning.
    const restart = () => restartJob(this.#storage, buildJobName(this.#target), { signal });
    await patientlyBy(this.#retries, signal)(restart);
    this.#report();
    // Older programs may still write rows of it.
    for (;;) {
      const before = this.#removed;
      await job.runPass();
      const isClean = !(await this.#isAnyLeft());
      if (isClean || this.#removed === before)
        return { table, index: this.#name, removed: this.#removed, isClean };
    }
  }

  async #removePage(rows: readonly StoredEntity[], signal: AbortSignal): Promise<void> {
    await this.#pace.wait(signal);
    const own = rows.filter((row) => this.#isOwn(row));
    const patiently = patientlyBy(this.#retries, signal);
    const removed = await removeRows(this.#storage, this.#target.table, own, { signal, patiently });
    for (let i = 0; i < removed; i++) this.#pace.spend();
    this.#removed += removed;
    this.#read += rows.length;
    this.#report();
  }

  #isOwn(row: StoredEntity): boolean {
    return this.#target.indexOf(row) !== undefined || this.#target.hasReservation(row);
  }

  async #isAnyLeft(): Promise<boolean> {
    const { signal } = this.#options;
    const query = { filter: this.#target.filter() };
    for await (const page of followPages(this.#storage, this.#target.table, query, { signal }))
      if (page.entities.some((row) => this.#isOwn(row))) return true;
    return false;
  }

  #report(): void {
    this.#options.onProgress?.({ phase: "drop", read: this.#read, written: this.#removed });
  }
}
