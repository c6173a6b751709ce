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

/** Options for copying a table. */
export interface CopyTableOptions {
  /** The table's name in the target, if it differs. The table is created if it does not exist. */
  readonly as?: string | undefined;
  /** How to treat rows of the target with the same keys: `replace` (default) or `keep`. */
  readonly existing?: ExistingRows | undefined;
  /** Whether waiting messages of an outbox and markers of transactions are left out. Default `omit`. */
  readonly transactionRows?: TransactionRows | undefined;
  /** Maximum rows per second of this call. */
  readonly rate?: number | undefined;
  /** Pages that this call copies concurrently. Default 4. Other processes may share the copy. */
  readonly concurrency?: number | undefined;
  /**
   * The name of the job, which workers share and a later call resumes. By default made of the table names. It
   * is stored in the table `PartitaJobs` of the target; nothing is written to the source.
   */
  readonly checkpoint?: string | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds. Default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of a copy, counted by the rows of this call. */
export interface CopyProgress {
  readonly table: string;
  /** Rows that were read, including those left out. */
  readonly read: number;
  readonly omitted: OmittedRows;
  readonly written: number;
  /** Rows of the target that were not changed, with `existing: "keep"`. */
  readonly kept: number;
  /** Rows that the target refuses. */
  readonly refused: number;
}

/** A row that the target refuses, and the reason. */
export interface RefusedRow {
  readonly key: EntityKey;
  readonly reason: Error;
}

/** The result of a copy. */
export interface CopyReport extends CopyProgress {
  /** The rows that the target refuses, at most 1000. */
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
 * Copies the rows of a table to another storage of any kind, with exact keys, values and EDM types. ETags and
 * Timestamps are those of the target. You can stop or kill it at any time; a later call resumes it. Several
 * processes may share the work. Rows that are written to the source meanwhile may be in the copy or not. A
 * second call after the first has ended copies everything again. Waiting messages of an outbox and markers of
 * transactions are left out and counted, unless `transactionRows` is `keep`.
 *
 * @throws OptionError `transfer.option`; ModelError `model.jobs-table`; StorageError if requests fail too
 * often or `signal` stops it
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
      `copyTable(from, to, "${table}") would copy the table onto itself. Set { as: "another name" }.`,
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
