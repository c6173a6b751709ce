import {
  abortSignal,
  accepted,
  aFunction,
  type CheckOptions,
  createForMovedRows,
  defineOptions,
  numberAboveZero,
  patientlyBy,
  type Retries,
  retriesOf,
  wholeNumber,
  withoutSystemValues,
} from "@partita/core/internal";
import { checkJobTable, jobRetry, Pace, TableJob } from "@partita/maintenance/internal";
import { type EntityKey, OptionError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { aTableName, checkReadTable, checkTable } from "./table-location.ts";
import {
  MovedRows,
  type OmittedRows,
  type TransactionRows,
  transactionRowsCheck,
} from "./transaction-rows.ts";
import { type ExistingRows, type RowWriting, writeRows } from "./write-rows.ts";

/** How a table is copied. */
export interface CopyTableOptions {
  /** The table's name in the target, where it is another one. It is created where it is not there. */
  readonly as?: string | undefined;
  /** What becomes of rows of the target with the same keys: `replace` (default) or `keep`. */
  readonly existing?: ExistingRows | undefined;
  /** Whether waiting messages of an outbox and markers of transactions are left out, which is the default. */
  readonly transactionRows?: TransactionRows | undefined;
  /** Rows per second at most, over all that this call does at once. */
  readonly rate?: number | undefined;
  /** Pages this call works at together; default 4. Other processes may share the copy. */
  readonly concurrency?: number | undefined;
  /**
   * The name of the job, which workers share and a later call goes on with; by default made of the tables. Kept in the table
   * `PartitaJobs` of the target: nothing is written to the source.
   */
  readonly checkpoint?: string | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far a copy is, by the rows that this call has worked at. */
export interface CopyProgress {
  readonly table: string;
  /** Rows that were read, those that are left out included. */
  readonly read: number;
  readonly omitted: OmittedRows;
  readonly written: number;
  /** Rows that stayed as they were in the target, with `existing: "keep"`. */
  readonly kept: number;
  /** Rows that the target does not take. */
  readonly refused: number;
}

/** A row that the target does not take, and why. */
export interface RefusedRow {
  readonly key: EntityKey;
  readonly reason: Error;
}

/** What a copy has done. */
export interface CopyReport extends CopyProgress {
  /** The rows that the target does not take, at most 1000 of them. */
  readonly refusedRows: readonly RefusedRow[];
}

const mostRefusals = 1000;

const checkOptions: CheckOptions = defineOptions<CopyTableOptions>(
  "copyTable(from, to, table, options)",
  {
    as: aTableName,
    existing: accepted('"replace" or "keep"', (value) => value === "replace" || value === "keep"),
    transactionRows: transactionRowsCheck,
    rate: numberAboveZero,
    concurrency: wholeNumber(1),
    checkpoint: accepted(
      "a text of 1 to 120 characters",
      (value) => typeof value === "string" && value !== "" && value.length <= 120,
    ),
    claimTimeoutMs: numberAboveZero,
    onProgress: aFunction,
    signal: abortSignal,
  },
  "transfer.option",
);

/**
 * Copies the rows of a table to another storage, of whatever sort: keys, values and EDM types exactly as they are stored;
 * ETags and Timestamps are the target's own. It can be stopped at any time, killed too, and a later call resumes it; several
 * processes may share the work. What is written to the source meanwhile may be in the copy or not; a second call, once the
 * first has ended, copies everything again. Waiting messages of an outbox and markers of transactions are left out, and counted,
 * unless `transactionRows` is `keep`.
 *
 * @throws OptionError `transfer.option`; ModelError `model.jobs-table`; StorageError, when requests fail too often or `signal`
 *   stops it
 */
export async function copyTable(
  from: TableStorage,
  to: TableStorage,
  table: string,
  options: CopyTableOptions = {},
): Promise<CopyReport> {
  checkReadTable("copyTable(from, to, table)", table);
  checkOptions(options);
  const { as = table } = options;
  checkTable("copyTable(from, to, table, { as })", as);
  checkJobTable(table);
  checkJobTable(as);
  if (from === to && as.toLowerCase() === table.toLowerCase())
    throw new OptionError(
      "transfer.option",
      `copyTable(from, to, "${table}") would copy the table onto itself. Say { as: "another name" }.`,
    );
  await createForMovedRows(to, as, { signal: options.signal });
  return new TableCopy(from, to, { ...options, table, as }).run();
}

class TableCopy {
  readonly #to: TableStorage;
  readonly #options: CopyTableOptions & { readonly table: string; readonly as: string };
  readonly #retries: Retries;
  readonly #job: TableJob;
  readonly #pace: Pace;
  readonly #counts = { read: 0, written: 0, kept: 0, refused: 0 };
  readonly #refusedRows: RefusedRow[] = [];
  readonly #moved: MovedRows;

  constructor(
    from: TableStorage,
    to: TableStorage,
    options: CopyTableOptions & { readonly table: string; readonly as: string },
  ) {
    const { table, as, checkpoint, concurrency, claimTimeoutMs, signal } = options;
    this.#to = to;
    this.#options = options;
    this.#moved = new MovedRows(options.transactionRows);
    this.#retries = retriesOf(to, jobRetry);
    this.#pace = new Pace(options.rate);
    this.#job = new TableJob(from, {
      table,
      name: checkpoint ?? `copy ${table} ${as}`,
      record: to,
      concurrency,
      claimTimeoutMs,
      signal,
      work: (rows, held) => this.#copyPage(rows, held),
    });
  }

  async run(): Promise<CopyReport> {
    await this.#job.open();
    this.#report();
    await this.#job.runPass();
    return { ...this.#progress, refusedRows: this.#refusedRows };
  }

  async #copyPage(rows: readonly StoredEntity[], held: AbortSignal): Promise<void> {
    const { as, existing = "replace" } = this.#options;
    await this.#pace.wait(held);
    const writing: RowWriting = {
      existing,
      patiently: patientlyBy(this.#retries, held),
      request: { signal: held },
      onWritten: (count) => {
        this.#counts.written += count;
        for (let i = 0; i < count; i++) this.#pace.spend();
      },
      onKept: () => void this.#counts.kept++,
      onRefused: (key, reason) => {
        this.#counts.refused++;
        if (this.#refusedRows.length < mostRefusals) this.#refusedRows.push({ key, reason });
      },
    };
    const moved = rows.filter((row) => this.#moved.take(row));
    await writeRows(this.#to, as, moved.map(withoutSystemValues), writing);
    this.#counts.read += rows.length;
    this.#report();
  }

  get #progress(): CopyProgress {
    return { table: this.#options.table, ...this.#counts, omitted: this.#moved.omitted };
  }

  #report(): void {
    this.#options.onProgress?.(this.#progress);
  }
}
