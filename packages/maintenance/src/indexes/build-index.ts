// `buildIndex()` and `partita index build` call this file. A `TableJob` reads every entity once and writes its index
// rows; afterwards the index is verified, by versions alone if no other program took part.

import { type EntityClass, ModelError, type TableStorage } from "@partita/core";
import {
  type CheckOptions,
  defineOptions,
  patientlyBy,
  type Retries,
  retriesOf,
} from "@partita/core/internal";
import { type FoundRow, IndexStates, keyOfFound, ScannedRow } from "@partita/core/internal/jobs";
import type { IndexBuildReport, IndexProgress, IndexVerification } from "./index-report.ts";
import { IndexTarget } from "./index-target.ts";
import { jobChecks } from "../jobs/job-checks.ts";
import { checkJobTable } from "../jobs/job-record.ts";
import { Pace } from "../jobs/pace.ts";
import { etagOfFound, placeIndexRows } from "./place-index-rows.ts";
import { readVersions, StoredVersions } from "./stored-versions.ts";
import { jobRetry, TableJob } from "../jobs/table-job.ts";
import { Verification } from "./verify-index.ts";

/** Options for building an index or deleting its rows. */
export interface IndexJobOptions {
  /** Maximum number of rows written per second, over all concurrent work of this call. */
  readonly rate?: number | undefined;
  /** Pages that this call processes concurrently; default 4. Other processes may share the job. */
  readonly concurrency?: number | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  /** Called after each page. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<IndexJobOptions>(
  "buildIndex(storage, classes, name, options)",
  jobChecks,
  "maintenance.option",
);

/** The name of the job that builds an index; its workers share the job by this name. */
export const buildJobName = (target: IndexTarget): string => target.jobName("build");

/** Writes the rows of an index for all stored entities; `index-jobs.ts` has the public documentation. */
export async function buildIndex(
  storage: TableStorage,
  classes: EntityClass | readonly EntityClass[],
  name: string,
  options: IndexJobOptions = {},
): Promise<IndexBuildReport> {
  checkOptions(options);
  const target = new IndexTarget(classes, name);
  target.checkState(
    ["building", "recorded"],
    "building requires an index that is in use, but not read yet",
    'Remove the state from its declaration; with indexStates: "declared", declare state: "building" in every program that writes. To restore lost rows of a ready index, call verifyIndex with repair (partita index verify --repair).',
  );
  checkRead(target);
  checkJobTable(target.table);
  const { onProgress, signal } = options;
  const states = new IndexStates(storage);
  const build = new IndexBuild(storage, target, options);
  if (!(await areReady(states, target, signal))) {
    await states.record(target.indexes, "building", { signal });
    await build.run();
  }
  const verifying = new Verification(storage, target, { repair: true, onProgress, signal });
  const unchanged = await build.unchanged();
  const verification = unchanged ?? (await verifying.run());
  const isOfEveryKind = unchanged === undefined ? verifying.knowsAllKinds : build.knowsAllKinds;
  if (verification.isClean) await states.record(target.indexes, "ready", { signal, isOfEveryKind });
  const { written, changed } = build;
  return {
    table: target.table,
    index: name,
    written,
    changed,
    verification,
    isClean: verification.isClean,
  };
}

/** @throws ModelError `model.index-state` for an index that supported older releases do not write */
function checkRead({ indexes }: IndexTarget): void {
  const unread = indexes.find(({ index }) => index.isUnread);
  if (unread === undefined) return;
  const { model, index } = unread;
  throw new ModelError(
    "model.index-state",
    `${model.name} supports version ${model.version?.lowest}, whose releases do not write the index ${index.name}, so it would not stay complete. Build it once they have stopped, without supports(${model.version?.lowest}).`,
    { entity: model.name, index: index.name },
  );
}

/** Whether all requested indexes are already built, so that they only need to be verified. */
async function areReady(
  states: IndexStates,
  { indexes }: IndexTarget,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  await states.ask(indexes, signal);
  return indexes.every((each) => states.stateOf(each) === "ready");
}

const noDifferences = {
  missing: 0,
  extra: 0,
  different: 0,
  repaired: 0,
  leftReservations: 0,
  differences: [],
  duplicates: [],
  duplicateCount: 0,
  left: [],
  leftCount: 0,
  isClean: true,
} satisfies Partial<IndexVerification>;

class IndexBuild {
  readonly #storage: TableStorage;
  readonly #target: IndexTarget;
  readonly #options: IndexJobOptions;
  readonly #retries: Retries;
  readonly #pace: Pace;
  /** The versions of all rows of the table that this call last read or stored. */
  readonly #versions = new StoredVersions();
  #hasRun = false;
  #read = 0;
  /** Rows that transactions stored, and entities that have no rows in the index. */
  #stored = 0;
  #empty = 0;
  written = 0;
  changed = 0;
  /** Whether every entity that was read is of the requested classes. */
  knowsAllKinds = true;

  constructor(storage: TableStorage, target: IndexTarget, options: IndexJobOptions) {
    this.#retries = retriesOf(storage, jobRetry);
    this.#storage = storage;
    this.#target = target;
    this.#options = options;
    this.#pace = new Pace(options.rate);
  }

  async run(): Promise<void> {
    const { concurrency, claimTimeoutMs, signal } = this.#options;
    const job = new TableJob<FoundRow>(this.#storage, {
      table: this.#target.table,
      reader: this.#target.reader(),
      name: buildJobName(this.#target),
      concurrency,
      claimTimeoutMs,
      retries: this.#retries,
      signal,
      work: (rows, held) => this.#buildPage(rows, held),
    });
    await job.open();
    this.#report();
    await job.runPass();
    this.#hasRun = true;
  }

  /**
   * Reads keys and ETags of the complete table. If each row still has the version that this call read or stored, the
   * index contains exactly the rows that this call wrote, and no other comparison is needed. This is not the case if
   * other workers or writers took part.
   */
  async unchanged(): Promise<IndexVerification | undefined> {
    if (!this.#hasRun) return undefined;
    const { signal, onProgress } = this.#options;
    const request = { mayBeStale: false, signal };
    let read = 0;
    const onRead = (rows: number): void =>
      onProgress?.({ phase: "verify", read: (read += rows), written: 0 });
    const found = await readVersions(this.#storage, this.#target.table, this.#retries, request, onRead);
    if (!found.equals(this.#versions)) return undefined;
    const { table, names } = this.#target;
    const rows = this.written;
    return { ...noDifferences, table, indexes: names, entities: this.#empty + this.#stored - rows, rows };
  }

  async #buildPage(rows: readonly FoundRow[], signal: AbortSignal): Promise<void> {
    // Whether a scanned row belongs to the requested classes.
    const isOfIndex = (row: FoundRow): boolean =>
      !ScannedRow.is(row) && this.#target.indexOf(row) !== undefined;
    for (const row of rows) {
      if (ScannedRow.is(row)) continue;
      if (isOfIndex(row)) {
        if (this.#target.modelOf(row) !== undefined) this.#versions.forget();
      } else if (this.#target.isOfOtherKind(row)) this.knowsAllKinds = false;
    }
    await placeIndexRows(this.#storage, this.#target, rows, {
      signal,
      patiently: patientlyBy(this.#retries, signal),
      beforeGroup: () => this.#pace.wait(signal),
      onPlaced: () => {
        this.written++;
        this.#pace.spend();
      },
      onClaimed: () => {
        this.written++;
        this.#pace.spend();
        // The transactions have other rows, too.
        this.#versions.forget();
      },
      onStored: (key, etag) => {
        this.#stored++;
        this.#versions.add(key, etag);
      },
      onLeft: (row, why) => {
        if (why === "unreadable") this.#versions.forget();
        if (why === "empty") this.#empty++;
        // Index rows are recorded when they are stored.
        if (!isOfIndex(row)) this.#versions.add(keyOfFound(row), etagOfFound(row));
      },
      onChanged: () => {
        this.changed++;
        this.#versions.forget();
      },
    });
    this.#read += rows.length;
    this.#report();
  }

  #report(): void {
    this.#options.onProgress?.({ phase: "build", read: this.#read, written: this.written });
  }
}
