import type { DatabaseSync } from "node:sqlite";
import { cancelled, StorageError } from "../../errors/storage-error.ts";
import type { Clock } from "../../storage/clock.ts";
import { maxTransactionBytes } from "../../storage/limits.ts";
import type { WriteResult } from "../../storage/write-operation.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import type { PreparedOperation } from "./prepare-operation.ts";
import { isDamage } from "./row-checksum.ts";
import { RowWriter } from "./row-writer.ts";
import type { Snapshots } from "./snapshots.ts";
import { isCertainlyRolledBack, toStorageError } from "./sqlite-errors.ts";
import { etagOf } from "./stored-time.ts";
import { shownTable } from "../../storage/limits.ts";
import { findTable, type Statements } from "./table-statements.ts";

/** Operations per commit: enough to share one fsync, few enough to keep the event loop free. */
const maxOperationsPerCommit = 256;

/** A write that waits for its commit. More than one operation, or `isTransaction`: all or none. */
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
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;

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
    const bytes = operations.reduce((sum, operation) => sum + operation.bytes, 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ table, operations, isTransaction, bytes, signal, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything enqueued so far has its answer. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // One turn of the event loop gathers what the same turn enqueued.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0)
      await this.#options.snapshots.write(() => this.#commit(this.#takeGroup()));
    this.#running = undefined;
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

  async #commit(group: readonly Job[]): Promise<void> {
    const { database, file, busyTimeoutMs } = this.#options;
    try {
      await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"), busyTimeoutMs);
    } catch (error) {
      for (const job of group) job.reject(toStorageError(error, file));
      return;
    }
    let isCommitting = false;
    try {
      const outcomes = this.#applyAll(group);
      isCommitting = true;
      database.exec("COMMIT");
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
  }

  #applyAll(group: readonly Job[]): Outcome[] {
    const { statements, clock } = this.#options;
    const [last] = statements.get("SELECT ts FROM versions").get() as unknown as [number];
    let version = last;
    const now = microsOf(clock.now());
    const nextVersion = (): number => (version = Math.max(version + 1, now));
    const outcomes = group.map((job) => this.#applyJob(job, nextVersion));
    if (version !== last) statements.get("UPDATE versions SET ts = ?").run(version);
    return outcomes;
  }

  #applyJob(job: Job, nextVersion: () => number): Outcome {
    const { statements } = this.#options;
    let hasSavepoint = false;
    try {
      if (job.signal?.aborted === true) throw cancelled(job.signal);
      const tableId = findTable(statements, job.table);
      if (tableId === undefined)
        throw StorageError.ofService(
          "TableNotFound",
          shownTable(job.table),
          job.isTransaction ? 0 : undefined,
        );
      if (job.operations.length > 1) {
        statements.get("SAVEPOINT job").run();
        hasSavepoint = true;
      }
      const results = applyOperations(new RowWriter(statements, tableId), job, nextVersion);
      if (hasSavepoint) statements.get("RELEASE job").run();
      return { job, results };
    } catch (error) {
      // Refusals and rows that cannot be read are an answer to one job; a failure of SQLite ends the whole commit.
      const told = isDamage(error) ? toStorageError(error, this.#options.file) : error;
      if (!(told instanceof StorageError)) throw error;
      if (hasSavepoint) {
        statements.get("ROLLBACK TO job").run();
        statements.get("RELEASE job").run();
      }
      return { job, error: told };
    }
  }
}

function applyOperations(writer: RowWriter, job: Job, nextVersion: () => number): WriteResult[] {
  return job.operations.map((operation, index) => {
    const version = nextVersion();
    try {
      writer.apply(operation, version);
    } catch (error) {
      throw job.isTransaction && error instanceof StorageError ? error.atIndex(index) : error;
    }
    return operation.type === "delete" ? {} : { etag: etagOf(version) };
  });
}

/** The clock in microseconds; one that is no clock is ignored, and versions then count on from the last. */
function microsOf(ms: number): number {
  const micros = Math.floor(ms * 1000);
  return Number.isSafeInteger(micros) && micros > 0 ? micros : 0;
}
