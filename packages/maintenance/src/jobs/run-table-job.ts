import type { TableStorage } from "@partita/core";
import { retriesOf } from "@partita/core/internal";
import type { FilterNode, StoredEntity } from "@partita/core/storage";
import { jobRetry, TableJob } from "./table-job.ts";

/** Work on the rows of a table. */
export interface TableWork {
  readonly table: string;
  /** The rows that it works at; absent, all of them. */
  readonly filter?: FilterNode | undefined;
  /**
   * The name that workers share, and that a later call resumes: at most 120 characters. Stored in the table
   * `PartitaJobs`.
   */
  readonly name: string;
  /** Pages this call works at together; default 4. Other processes may share the job. */
  readonly concurrency?: number | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Does the work for the rows of one page. A page may be given to two workers one after the other: doing the work
   * twice must be as good as once.
   *
   * @param held - aborted when the job stops, or when another worker has taken over the page
   */
  readonly work: (rows: readonly StoredEntity[], held: AbortSignal) => Promise<void>;
}

/**
 * Works once through a table, page by page. It can be stopped at any time, and a later call of the same name resumes
 * it; once all rows were processed, the next call starts from the beginning. Any number of processes may share the
 * work.
 *
 * @throws StorageError when requests fail too often, or `signal` stops it; the errors of `work`
 */
export async function runTableJob(storage: TableStorage, job: TableWork): Promise<void> {
  const { concurrency = 4, claimTimeoutMs = 15_000 } = job;
  const run = new TableJob(storage, {
    ...job,
    concurrency,
    claimTimeoutMs,
    retries: retriesOf(storage, jobRetry),
  });
  await run.open();
  await run.runPass();
}
