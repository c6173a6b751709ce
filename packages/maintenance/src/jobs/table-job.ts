// Index jobs, upgrades and `runTableJob` use `TableJob` to work through a table. Workers in any number of processes
// share a cursor and claim pages with leases, recorded by `job-record.ts`, so the job survives restarts.

import { setTimeout as delay } from "node:timers/promises";
import { type RetryPolicy, StorageError, type TableStorage } from "@partita/core";
import {
  cancelled,
  type Patiently,
  patientlyBy,
  type Retries,
  retriesOf,
  retryReads,
  type RowReader,
  TokenWatch,
} from "@partita/core/internal";
import { exponential, type FoundRow, repeatedToken } from "@partita/core/internal/jobs";
import { followRows } from "./follow-rows.ts";
import type { FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";
import { type Claim, JobRecord } from "./job-record.ts";
import { Lease } from "./lease.ts";
import { isBehind, rowsAfter, rowsBetween, type RowSource } from "./rows-after.ts";

/** A job has time, and should not end because others fail, so it has many attempts and no shared budget. */
export const jobRetry: RetryPolicy = exponential({ attempts: 5, delayMs: 50, minMs: 50, maxMs: 5_000 });

/** The work and options of a job. */
export interface TableJobOptions<Row extends FoundRow = StoredEntity> {
  readonly table: string;
  /** The filter of its rows; all when absent. */
  readonly filter?: FilterNode | undefined;
  /**
   * The name that workers share, and that a later call resumes: at most 120 characters. Stored in the table
   * `PartitaJobs`.
   */
  readonly name: string;
  /** The storage for the job's progress; by default the table's. */
  readonly record?: TableStorage | undefined;
  /** Pages that this call processes concurrently; default 4. */
  readonly concurrency?: number | undefined;
  /**
   * How long a claim may go without being renewed before other workers take it over, in milliseconds; default 15,000.
   */
  readonly claimTimeoutMs?: number | undefined;
  /** How requests are retried; by default by `jobRetry`. */
  readonly retries?: Retries | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Reads rows from their bytes if the storage has them: as `ScannedRow`, or parsed. When absent, all are parsed. */
  readonly reader?: (Row extends StoredEntity ? never : RowReader) | undefined;
  /**
   * Does the work for the rows of one page. A page may be given to two workers one after the other, so the work must
   * be idempotent.
   *
   * @param signal - aborted when the job stops, or when the page's claim is lost
   */
  readonly work: (rows: readonly Row[], signal: AbortSignal) => Promise<void>;
}

/** A claimed page, with the time of the request. */
interface ClaimedPage {
  readonly claim: Claim;
  readonly sentAt: number;
  readonly rows: readonly FoundRow[];
}

/**
 * Work on every row of a table, page by page, that can be stopped at any time and resumed at its cursor. Several
 * workers, here and in other processes, share it: each claims a page, renews its claim while it works, and takes over
 * claims that are no longer renewed. This class does not depend on the kind of work.
 */
export class TableJob<Row extends FoundRow = StoredEntity> {
  readonly #source: RowSource;
  readonly #work: TableJobOptions<Row>["work"];
  readonly #table: string;
  readonly #concurrency: number;
  readonly #claimTimeoutMs: number;
  readonly #record: JobRecord;
  /** Aborted by the caller, or when one of the workers here fails. */
  readonly #stopped = new AbortController();
  readonly #signal: AbortSignal;
  readonly #patiently: Patiently;
  /** The claimed positions of each round. */
  readonly #tokens = new TokenWatch();
  /** Resolves when no worker here is claiming a page. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(storage: TableStorage, options: TableJobOptions<Row>) {
    const { table, filter, name, record = storage, concurrency = 4, claimTimeoutMs = 15_000 } = options;
    const { retries = retriesOf(storage, jobRetry), signal, reader, work } = options;
    this.#signal =
      signal === undefined ? this.#stopped.signal : AbortSignal.any([signal, this.#stopped.signal]);
    const request: RequestOptions = { signal: this.#signal };
    this.#work = work;
    this.#table = table;
    this.#concurrency = concurrency;
    this.#claimTimeoutMs = claimTimeoutMs;
    this.#source = {
      filter,
      isUnordered: storage.isUnordered === true,
      pages: (query) => followRows(storage, table, query, { retries, request, reader }),
    };
    this.#record = new JobRecord(retryReads(record, retries), name, request);
    this.#patiently = patientlyBy(retries, this.#signal);
  }

  /** Creates the job if it does not exist yet. */
  async open(): Promise<void> {
    await this.#patiently(() => this.#record.open());
  }

  /** Whether the job exists, and whether it has ended. */
  state(): Promise<"new" | "started" | "ended"> {
    return this.#patiently(async () => {
      const cursor = await this.#record.find();
      if (cursor === undefined) return "new";
      return cursor.isAtEnd && (await this.#record.claims()).length === 0 ? "ended" : "started";
    });
  }

  /**
   * Works until every row was processed and no claim is left. If other workers or an earlier call did not finish a
   * round, it is resumed; after a finished round, a new one starts, for rows that were written since.
   *
   * @param isAnew - whether an unfinished round is repeated from the first row, if no worker holds a claim
   * @throws StorageError when requests fail too often, or when the signal stops the job; the errors of `work`
   */
  async runPass(isAnew: boolean = false): Promise<void> {
    await this.#patiently(async () => {
      const cursor = await this.#record.read();
      const isRepeated = cursor.isAtEnd || (isAnew && cursor.after !== undefined);
      if (isRepeated && (await this.#record.claims()).length === 0) await this.#record.restart(cursor);
    });
    // If one worker fails, the others stop too: no work continues after the caller has the error.
    const workers = Array.from({ length: this.#concurrency }, async () => {
      try {
        await this.#workUntilDone();
      } catch (error) {
        this.#stopped.abort(error);
        throw error;
      }
    });
    const ends = await Promise.allSettled(workers);
    const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    // The other workers failed only because they were stopped.
    if (failures.length > 0) throw failures.find((error) => !isCancelled(error)) ?? failures[0];
  }

  /** Claims one page after another. At the end, takes over claims of ended workers, until nothing is left to do. */
  async #workUntilDone(): Promise<void> {
    const step = async (): Promise<boolean> => {
      if (this.#signal.aborted) throw cancelled(this.#signal);
      const page = await this.#inTurn(() => this.#claimPage());
      if (page === "end") return this.#takeOver();
      if (page !== undefined) await this.#workAt(page.claim, page.sentAt, () => Promise.resolve(page.rows));
      return true;
    };
    while (await this.#patiently(step));
  }

  /**
   * The next page is only known after reading the present one, and of several workers that read it, only one could
   * claim it.
   */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work, work);
    this.#turn = done;
    return done;
  }

  /**
   * Claims the next page; undefined if the claim has to be retried, for example because a worker of another process
   * came first.
   */
  async #claimPage(): Promise<ClaimedPage | "end" | undefined> {
    const cursor = await this.#record.read();
    if (cursor.isAtEnd) return "end";
    const { rows, next } = await rowsAfter(this.#source, cursor.after);
    if (rows.length === 0) {
      await this.#record.finish(cursor);
      return undefined;
    }
    // A storage that ignores the condition would return the same rows forever.
    if (cursor.after !== undefined && next !== undefined && !isBehind(next, cursor.after))
      throw repeatedToken(this.#table);
    const sentAt = performance.now();
    const claim = await this.#record.claim(cursor, next);
    if (claim === undefined) return undefined;
    // This position was claimed before in this round: the round would never end.
    if (next !== undefined && "token" in next && this.#tokens.repeats(next.token, cursor.pass))
      throw repeatedToken(this.#table);
    return { claim, sentAt, rows };
  }

  /** Processes the rows of a claim while it is held. If that fails, leaves the claim to other workers. */
  async #workAt(claim: Claim, sentAt: number, read: () => Promise<readonly FoundRow[]>): Promise<void> {
    const lease = new Lease(this.#record, claim, this.#claimTimeoutMs, sentAt, this.#signal);
    try {
      await this.#work((await read()) as readonly Row[], lease.signal);
      await this.#patiently(() => lease.release());
    } catch (error) {
      const { isLost } = lease;
      await lease.abandon();
      if (!isLost || this.#signal.aborted) throw error;
    }
  }

  /**
   * Waits until no claim is left, or until one can be taken over: because it is abandoned, or was not renewed for the
   * claim timeout. Returns false if no claim is left.
   */
  async #takeOver(): Promise<boolean> {
    const claimTimeoutMs = this.#claimTimeoutMs;
    const seen = new Map<string, { readonly etag: string; readonly since: number }>();
    for (let waitMs = 5; ; waitMs = Math.min(2 * waitMs, claimTimeoutMs / 4, 500)) {
      const claims = await this.#record.claims();
      if (claims.length === 0) return false;
      for (const claim of claims) {
        const before = seen.get(claim.id);
        const now = performance.now();
        const isSilent = before?.etag === claim.etag && now - before.since >= claimTimeoutMs;
        if (before?.etag !== claim.etag) seen.set(claim.id, { etag: claim.etag, since: now });
        if ((isSilent || claim.isAbandoned) && (await this.#workAtTaken(claim, now))) return true;
      }
      await waitFor(waitMs, this.#signal);
    }
  }

  /** Returns false if another worker took the claim first. */
  async #workAtTaken(claim: Claim, sentAt: number): Promise<boolean> {
    const own = await this.#record.takeOver(claim);
    if (own === undefined) return false;
    const { from, to } = claim;
    await this.#workAt(own, sentAt, () => rowsBetween(this.#source, from, to));
    return true;
  }
}

/**
 * Works once through a table, page by page. It can be stopped at any time, and a later call with the same name resumes
 * it; once all rows were processed, the next call starts from the beginning. Any number of processes may share the
 * work.
 *
 * @throws StorageError if requests fail too often, or `signal` stops it; the errors of `work`
 */
export async function runTableJob(storage: TableStorage, options: TableJobOptions): Promise<void> {
  const job = new TableJob(storage, options);
  await job.open();
  await job.runPass();
}

/** Waits. @throws StorageError `storage.cancelled` */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw cancelled(signal);
  });
}

const isCancelled = (error: unknown): boolean => StorageError.is(error) && error.code === "storage.cancelled";
