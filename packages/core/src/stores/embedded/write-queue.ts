// `embedded-storage.ts` adds every write to this queue. It collects the writes of one turn of the event loop, commits
// them in one SQLite transaction (group commit), and reports each result only after the commit.

import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cancelled, StorageError } from "../../values/errors/storage-error.ts";
import type { Clock } from "../../storage/clock.ts";
import { maxTransactionBytes } from "../../storage/limits.ts";
import type { WriteResult } from "../../storage/write-operation.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import type { PreparedOperation } from "./prepare-operation.ts";
import { releaseBody } from "./row-body.ts";
import { type FoundRow, RowWriter } from "./row-writer.ts";
import type { OpenFiles } from "./open-files.ts";
import type { Snapshots } from "./snapshots.ts";
import { isCertainlyRolledBack, toStorageError } from "./sqlite-errors.ts";
import { etagOf, isDamage } from "./stored-row.ts";
import { type Statements, tableIn } from "./table-statements.ts";

/**
 * Up to this offset, a version is stored without it: many writes in one millisecond count on from each other, and a row
 * without the offset is smaller.
 */
const maxAheadMicros = 10_000;

/** Operations per commit: enough to share one fsync, few enough to let other work run. */
const maxOperationsPerCommit = 512;

/** The number of commits with savepoints after a complete rollback. */
const commitsWithSavepoints = 32;

/** A write that waits for its commit. With several operations, or `isTransaction`, it is atomic. */
interface Job {
  readonly table: string;
  readonly operations: readonly PreparedOperation[];
  readonly isTransaction: boolean;
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (results: readonly WriteResult[]) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly job: Job } & (
  | { readonly results: readonly WriteResult[] }
  | { readonly error: unknown }
);

export interface WriteQueueOptions {
  readonly database: DatabaseSync;
  /** Undefined in memory. */
  readonly files: OpenFiles | undefined;
  readonly statements: Statements;
  readonly snapshots: Snapshots;
  readonly file: string;
  readonly busyTimeoutMs: number;
  /** Milliseconds since 1970. */
  readonly clock: Clock;
}

/**
 * Group commit: writes that arrive together share one SQLite transaction, and each resolves only after its COMMIT.
 * A refused operation fails alone; a failed commit fails all its members.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #writers = new Map<number, RowWriter>();
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #commitsLeftWithSavepoints = 0;
  /** Whether a file became smaller. Before the next commit, it must be known that nothing is missing. */
  #isShorter = false;
  /** The writers of the commit's tables. */
  readonly #writing = new Set<RowWriter>();

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** Enqueues checked operations. */
  add(
    table: string,
    operations: readonly PreparedOperation[],
    isTransaction: boolean,
    signal?: AbortSignal,
  ): Promise<readonly WriteResult[]> {
    let bytes = 0;
    for (const operation of operations) bytes += operation.bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ table, operations, isTransaction, bytes, signal, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once everything enqueued so far is done. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Wait one turn to collect all writes of that turn.
    await nextTurn();
    const { snapshots } = this.#options;
    while (this.#waiting.length > 0) {
      if (this.#isShorter && !(await this.#confirmSizes())) continue;
      const isFree = snapshots.lock === undefined || snapshots.lock.users === 0;
      if (isFree && this.#begin()) this.#commit(this.#takeGroup());
      else await snapshots.write(() => this.#commitWhenFree());
      // Let responses, aborts and other work run between two groups.
      if (this.#waiting.length > 0) await nextTurn();
    }
    this.#running = undefined;
  }

  /** Waits until it is known that no pages are missing. If some are, all waiting writes fail. */
  async #confirmSizes(): Promise<boolean> {
    const { database, files, busyTimeoutMs } = this.#options;
    try {
      await files?.confirmSizes(database, busyTimeoutMs);
      this.#isShorter = false;
      return true;
    } catch (error) {
      for (const job of this.#waiting.splice(0)) job.reject(error);
      return false;
    }
  }

  /** Begins a transaction; false if another process holds the lock, or it cannot begin for another reason. */
  #begin(): boolean {
    try {
      this.#options.database.exec("BEGIN IMMEDIATE");
      return true;
    } catch {
      return false;
    }
  }

  async #commitWhenFree(): Promise<void> {
    const { database, file, busyTimeoutMs } = this.#options;
    const group = this.#takeGroup();
    try {
      // In one step: otherwise, a read in between would run in this transaction.
      await retryWhileBusy(() => {
        database.exec("BEGIN IMMEDIATE");
        this.#commit(group);
      }, busyTimeoutMs);
    } catch (error) {
      for (const job of group) job.reject(toStorageError(error, file));
    }
  }

  #takeGroup(): Job[] {
    let operations = 0;
    let bytes = 0;
    let count = 0;
    for (const job of this.#waiting) {
      operations += job.operations.length;
      bytes += job.bytes;
      if (count > 0 && (operations > maxOperationsPerCommit || bytes > maxTransactionBytes)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /**
   * Executes a group in the open transaction, and ends it. It never waits or throws, so no other code runs in between.
   * If a refused transaction of the group has already changed rows, the group is queued again and executed with
   * savepoints: these cost a copy of each changed page, and refusals are rare. If a file became smaller, the group
   * waits until it is known that nothing is missing.
   */
  #commit(group: readonly Job[]): void {
    const { database, files, file } = this.#options;
    let isCommitting = false;
    try {
      const outcomes = this.#applyAll(group);
      if (outcomes === undefined) {
        database.exec("ROLLBACK");
        this.#commitsLeftWithSavepoints = commitsWithSavepoints;
        return this.#putBack(group);
      }
      if (files?.check() === false) {
        database.exec("ROLLBACK");
        this.#isShorter = true;
        return this.#putBack(group);
      }
      isCommitting = true;
      database.exec("COMMIT");
      files?.noteCommit();
      for (const outcome of outcomes) {
        if ("error" in outcome) outcome.job.reject(outcome.error);
        else outcome.job.resolve(outcome.results);
      }
    } catch (error) {
      // A transaction that is still open was certainly not committed.
      const isOpen = database.isTransaction;
      if (isOpen) database.exec("ROLLBACK");
      const failure = toStorageError(
        error,
        file,
        isCommitting && !isOpen && !isCertainlyRolledBack(error) ? "maybe" : "no",
      );
      for (const job of group) job.reject(failure);
    }
    for (const { operations } of group) for (const { body } of operations) releaseBody(body);
  }

  /** Queues a group again. Its bodies are not released, since they are written again. */
  #putBack(group: readonly Job[]): void {
    this.#waiting.unshift(...group);
  }

  /** Undefined if a refused transaction cannot be rolled back separately. */
  #applyAll(group: readonly Job[]): Outcome[] | undefined {
    const { clock } = this.#options;
    this.#writing.clear();
    // Writers of deleted tables are dropped now and then, but never within a commit: a writer has versions that are not
    // stored yet.
    if (this.#writers.size >= maxWriters) this.#writers.clear();
    // Ignore a clock without a valid time; versions then continue from the last one.
    const micros = Math.floor(clock.now() * 1000);
    const now = Number.isSafeInteger(micros) && micros > 0 ? micros : undefined;
    const outcomes: Outcome[] = [];
    const hasSavepoints = this.#commitsLeftWithSavepoints > 0;
    if (hasSavepoints) this.#commitsLeftWithSavepoints--;
    for (const job of group) {
      const outcome = this.#applyJob(job, now, hasSavepoints);
      if (outcome === undefined) return undefined;
      outcomes.push(outcome);
    }
    for (const writer of this.#writing) writer.end();
    return outcomes;
  }

  /** Undefined if it was refused, and its changes cannot be rolled back separately. */
  #applyJob(job: Job, now: number | undefined, hasSavepoints: boolean): Outcome | undefined {
    const { statements } = this.#options;
    const { operations, isTransaction } = job;
    const results: WriteResult[] = [];
    let hasSavepoint = false;
    let before: RowWriter["totals"] | undefined;
    let writer: RowWriter | undefined;
    try {
      if (job.signal?.aborted === true) throw cancelled(job.signal);
      writer = this.#writerOf(job);
      if (hasSavepoints && operations.length > 1) {
        statements.get("SAVEPOINT job").run();
        hasSavepoint = true;
        before = { ...writer.totals };
      }
      let rows: readonly (FoundRow | undefined)[] = [];
      for (const [i, operation] of operations.entries()) {
        const at = i % rowsPerRead;
        if (at === 0) rows = writer.read(operations.slice(i, i + rowsPerRead));
        // Versions always rise, so no two states of a row share one. They follow the clock, so a file restored from a
        // backup does not repeat versions assigned after the backup. After a wrong clock, they stay ahead of the time.
        const micros = Math.max(writer.version + 1, now ?? 0);
        const ahead = now === undefined ? 0 : micros - now;
        writer.apply(operation, rows[at], { micros, ahead: ahead > maxAheadMicros ? ahead : 0 });
        writer.version = micros;
        results.push(operation.type === "delete" ? {} : { etag: etagOf(micros) });
      }
      if (hasSavepoint) statements.get("RELEASE job").run();
      return { job, results };
    } catch (error) {
      // A refusal or a damaged row is the result of one job; a failure of SQLite ends the whole commit.
      const failure = isDamage(error) ? toStorageError(error, this.#options.file) : error;
      if (!StorageError.is(failure)) throw error;
      if (hasSavepoint) {
        statements.get("ROLLBACK TO job").run();
        statements.get("RELEASE job").run();
        if (writer !== undefined) Object.assign(writer.totals, before);
      } else if (results.length > 0) return undefined;
      // A refusal names the operation; a cancelled job or a damaged row does not.
      const isRefusal = failure === error && failure.serviceCode !== undefined;
      return { job, error: isTransaction && isRefusal ? failure.atIndex(results.length) : failure };
    }
  }

  /** @throws StorageError `storage.table-not-found` */
  #writerOf({ table }: Job): RowWriter {
    const { statements } = this.#options;
    const found = tableIn(statements, table);
    let writer = this.#writers.get(found.id);
    if (writer === undefined) {
      // Numbers of tables are never reused, so a writer stays valid.
      writer = new RowWriter(statements, found);
      this.#writers.set(found.id, writer);
    }
    if (!this.#writing.has(writer)) writer.begin(found.version);
    this.#writing.add(writer);
    return writer;
  }
}

/** Limit of cached writers; most programs have fewer tables. */
const maxWriters = 100;

/** Rows of a transaction that are read together: this many of the largest rows fit into memory. */
const rowsPerRead = 25;
