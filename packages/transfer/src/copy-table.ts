import {
  abortSignal,
  accepted,
  aFunction,
  type CheckOptions,
  createForMovedRows,
  defineOptions,
  loadCrypto,
  numberAboveZero,
  patientlyBy,
  type Retries,
  retriesOf,
  retryReads,
  wholeNumber,
  withoutSystemValues,
} from "@partita/core/internal";
import { checkJobTable, jobRetry, Pace, TableJob } from "@partita/maintenance/internal";
import { type EntityKey, OptionError, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { TransferError } from "./transfer-error.ts";
import { type ExistingRows, existingRowsCheck, hasRows } from "./existing-rows.ts";
import { aTableName, checkReadTable, checkTable } from "./table-location.ts";
import {
  MovedRows,
  type OmittedRows,
  type TransactionRows,
  transactionRowsCheck,
} from "./transaction-rows.ts";
import { type RowWriting, writeRows } from "./write-rows.ts";

/** Options for copying a table. */
export interface CopyTableOptions {
  /** The table's name in the target, if it differs. The table is created if it does not exist. */
  readonly as?: string | undefined;
  /**
   * How to treat rows that the target already has. Default `refuse`: the target must have none. A copy that was
   * stopped is resumed, because the rows are its own. A copy that has ended is refused.
   */
  readonly existing?: ExistingRows | undefined;
  /** Whether waiting messages of an outbox and markers of transactions are left out. Default `omit`. */
  readonly transactionRows?: TransactionRows | undefined;
  /** Maximum rows per second of this call. */
  readonly rate?: number | undefined;
  /** Pages that this call copies concurrently. Default 4. Other processes may share the copy. */
  readonly concurrency?: number | undefined;
  /**
   * The name of the job, which workers share and a later call resumes. By default made of the table names and
   * the source. It is stored in the table `PartitaJobs` of the target; nothing is written to the source.
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
  /** Rows of the target that were left unchanged, with `existing: "skip"`. */
  readonly skipped: number;
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
    existing: existingRowsCheck,
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
 * processes may share the work. Rows that are written to the source meanwhile may be in the copy or not.
 * Waiting messages of an outbox and markers of transactions are left out and counted, unless
 * `transactionRows` is `keep`.
 *
 * With the default `existing: "refuse"`, nothing is written if the target has rows, except those of this copy
 * before it was stopped. To copy a table again after a copy has ended, choose another `existing`.
 *
 * @throws OptionError `transfer.option`; TransferError `transfer.table-not-empty`, `transfer.already-copied`,
 * `transfer.row-exists`; ModelError `model.jobs-table`; StorageError if requests fail too often or `signal`
 * stops it
 */
export async function copyTable(
  from: TableStorage,
  to: TableStorage,
  table: string,
  options: CopyTableOptions = {},
): Promise<CopyReport> {
  return checkedCopy("copyTable(from, to, table, options)", from, to, table, options).run();
}

/**
 * The state of a copy's target: `empty`; with rows of this copy, which has `started` or `ended`; or with `other`
 * rows.
 */
export type CopyState = "empty" | "started" | "ended" | "other";

/**
 * Finds out what a call of `copyTable` with the same arguments would find in the target. Nothing is written.
 *
 * ```ts
 * import { openStorage } from "@partita/core";
 * import { copyState, copyTable } from "@partita/transfer";
 *
 * await using from = await openStorage("memory:");
 * await using to = await openStorage("memory:");
 * await from.createTable("Cities");
 * await from.write("Cities", { type: "insert", entity: { PartitionKey: "US", RowKey: "Seattle" } });
 *
 * console.log(await copyState(from, to, "Cities")); // empty
 * await copyTable(from, to, "Cities");
 * console.log(await copyState(from, to, "Cities")); // ended
 * ```
 *
 * @throws OptionError `transfer.option`; ModelError `model.jobs-table`; StorageError
 */
export async function copyState(
  from: TableStorage,
  to: TableStorage,
  table: string,
  options: CopyTableOptions = {},
): Promise<CopyState> {
  return checkedCopy("copyState(from, to, table, options)", from, to, table, options).state();
}

/** @throws OptionError `transfer.option`; ModelError `model.jobs-table` */
function checkedCopy(
  call: string,
  from: TableStorage,
  to: TableStorage,
  table: string,
  options: CopyTableOptions,
): TableCopy {
  checkReadTable(call.replace(", options", ""), table);
  checkOptions(options, call);
  const { as = table } = options;
  checkTable(call.replace("options", "{ as }"), as);
  checkJobTable(table);
  checkJobTable(as);
  if (from === to && as.toLowerCase() === table.toLowerCase())
    throw new OptionError(
      "transfer.option",
      `copyTable(from, to, "${table}") would copy the table onto itself. Set { as: "another name" }.`,
    );
  return new TableCopy(from, to, { ...options, table, as });
}

class TableCopy {
  readonly #to: TableStorage;
  readonly #options: CopyTableOptions & { readonly table: string; readonly as: string };
  readonly #retries: Retries;
  readonly #job: TableJob;
  readonly #pace: Pace;
  readonly #counts = { read: 0, written: 0, skipped: 0, refused: 0 };
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
      name: checkpoint ?? `copy ${table} ${as} ${shortHash(from.description)}`,
      record: to,
      concurrency,
      claimTimeoutMs,
      signal,
      work: (rows, held) => this.#copyPage(rows, held),
    });
  }

  async state(): Promise<CopyState> {
    const { as, signal } = this.#options;
    // Rows first: a worker records the job before it writes rows.
    if (!(await hasRows(retryReads(this.#to, this.#retries), as, { signal }))) return "empty";
    const state = await this.#job.state();
    return state === "new" ? "other" : state;
  }

  async run(): Promise<CopyReport> {
    const { as, existing = "refuse", signal } = this.#options;
    const state = await this.state();
    if (existing === "refuse" && state === "other") throw TransferError.tableNotEmpty(as);
    if (existing === "refuse" && state === "ended") throw TransferError.alreadyCopied(as);
    await createForMovedRows(this.#to, as, { signal });
    await this.#job.open();
    this.#report();
    // The rows of an earlier copy may have been deleted since, with their table.
    await this.#job.runPass(state === "empty");
    return { ...this.#progress, refusedRows: this.#refusedRows };
  }

  async #copyPage(rows: readonly StoredEntity[], held: AbortSignal): Promise<void> {
    const { as, existing = "refuse" } = this.#options;
    await this.#pace.wait(held);
    const writing: RowWriting = {
      existing,
      patiently: patientlyBy(this.#retries, held),
      request: { signal: held },
      onWritten: (count) => {
        this.#counts.written += count;
        for (let i = 0; i < count; i++) this.#pace.spend();
      },
      onSkipped: () => void this.#counts.skipped++,
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

/** Tells sources apart in the name of a job, without their addresses. */
const shortHash = (text: string): string => loadCrypto().hash("sha256", text, "hex").slice(0, 12);
