import type { EdmType, StoredEntity } from "@partita/core/storage";
import type { TableStorage } from "@partita/core";
import {
  abortSignal,
  aFunction,
  cancelled,
  checkArgument,
  type CheckOptions,
  createForMovedRows,
  defineOptions,
  numberAboveZero,
  oneOf,
  patientlyBy,
  retriesOf,
  trueOrFalse,
  wholeNumber,
} from "@partita/core/internal";
import { checkJobTable, jobRetry, Pace } from "@partita/maintenance/internal";
import { type ExistingRows, existingRowsCheck, hasRows } from "./existing-rows.ts";
import { TransferError } from "./transfer-error.ts";
import type { RefusedRow } from "./copy-table.ts";
import { columnTypesCheck, linesIn, type ReadForm, someChunks } from "./read-rows.ts";
import { RowBuffer } from "./row-buffer.ts";
import { checkTable } from "./table-location.ts";
import {
  MovedRows,
  type OmittedRows,
  type TransactionRows,
  transactionRowsCheck,
} from "./transaction-rows.ts";
import type { Line } from "./text-lines.ts";
import { type RowWriting, writeRows } from "./write-rows.ts";

/** Options for importing rows. */
export interface ImportOptions extends ReadForm {
  /** How to treat rows that the table already has. Default `refuse`: the table must have none. */
  readonly existing?: ExistingRows | undefined;
  /** Whether waiting messages of an outbox and markers of transactions are left out. Default `omit`. */
  readonly transactionRows?: TransactionRows | undefined;
  /**
   * Called with each line that is not a row, which is then skipped. By default, the first such line stops the
   * import, after some of the rows before it may have been written.
   */
  readonly onBadLine?: ((line: TransferError) => void) | undefined;
  /** Maximum rows per second. */
  readonly rate?: number | undefined;
  /** Transactions to send concurrently. Default 4. */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of an import. */
export interface ImportProgress {
  readonly table: string;
  /** Rows that were read, including those left out. */
  readonly read: number;
  readonly omitted: OmittedRows;
  readonly written: number;
  /** Rows of the table that were left unchanged, with `existing: "skip"`. */
  readonly skipped: number;
  /**
   * Rows with a key that an earlier row of the file has. `replace` stores the last one, `skip` the first, and
   * `merge` the properties of all. `refuse` accepts only equal ones.
   */
  readonly repeated: number;
  /** Rows that the storage refuses. */
  readonly refused: number;
  /** Lines that are not rows. */
  readonly bad: number;
  /** Bytes of the source that were read. */
  readonly bytes: number;
}

/** The result of an import. */
export interface ImportReport extends ImportProgress {
  /** The CSV columns without types, and the types that were inferred for them. */
  readonly inferred: Readonly<Record<string, EdmType>>;
  /** The rows that the storage refuses, at most 1000. */
  readonly refusedRows: readonly RefusedRow[];
}

const mostRefusals = 1000;

const checkOptions: CheckOptions = defineOptions<ImportOptions>(
  "importTable(storage, table, source, options)",
  {
    format: oneOf("jsonl", "csv"),
    escapeFormulas: trueOrFalse,
    types: columnTypesCheck,
    existing: existingRowsCheck,
    transactionRows: transactionRowsCheck,
    onBadLine: aFunction,
    rate: numberAboveZero,
    concurrency: wholeNumber(1),
    onProgress: aFunction,
    signal: abortSignal,
  },
  "transfer.option",
);

/**
 * Writes the rows of a file to a table, which is created if it does not exist. It reads the output of
 * `exportTable`, CSV of Azure Storage Explorer, and a list of rows in JSON: `[{…}]`, or the service's
 * `{"value":[…]}`. Rows may have any order, and memory does not grow with the file. If a value does not
 * exactly fit its EDM type, its line is a bad line.
 *
 * With the default `existing: "refuse"`, nothing is written if the table already has rows. If an import was
 * stopped or killed, run it again from the start with `existing: "replace"`, which writes the same rows again.
 *
 * @param source - text or UTF-8 bytes, split at any position
 * @throws OptionError `transfer.option`; TransferError `transfer.line`, `transfer.header`, `transfer.text`,
 * `transfer.types`, `transfer.table-not-empty`, `transfer.row-exists`; ModelError `model.jobs-table`; StorageError if requests fail too often or `signal` stops it; errors of the
 * source
 */
export async function importTable(
  storage: TableStorage,
  table: string,
  source: AsyncIterable<string | Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  checkTable("importTable(storage, table)", table);
  checkArgument("importTable(storage, table, source)", source, someChunks, "transfer.option");
  checkOptions(options);
  checkJobTable(table);
  return new TableImport(storage, table, options).run(source);
}

class TableImport {
  readonly #storage: TableStorage;
  readonly #table: string;
  readonly #options: ImportOptions;
  readonly #buffer: RowBuffer;
  readonly #pace: Pace;
  readonly #stop = new AbortController();
  readonly #writing: RowWriting;
  readonly #counts = { read: 0, written: 0, skipped: 0, repeated: 0, refused: 0, bad: 0, bytes: 0 };
  readonly #refusedRows: RefusedRow[] = [];
  readonly #moved: MovedRows;
  #isTableThere = false;

  constructor(storage: TableStorage, table: string, options: ImportOptions) {
    const { existing = "refuse", signal } = options;
    this.#storage = storage;
    this.#table = table;
    this.#options = options;
    this.#buffer = new RowBuffer(existing);
    this.#moved = new MovedRows(options.transactionRows);
    this.#pace = new Pace(options.rate);
    const held = AbortSignal.any([this.#stop.signal, ...(signal === undefined ? [] : [signal])]);
    this.#writing = {
      existing,
      patiently: patientlyBy(retriesOf(storage, jobRetry), held),
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
  }

  async run(source: AsyncIterable<string | Uint8Array>): Promise<ImportReport> {
    this.#checkRunning();
    const { existing, patiently, request } = this.#writing;
    if (existing === "refuse" && (await patiently(() => hasRows(this.#storage, this.#table, request))))
      throw TransferError.tableNotEmpty(this.#table);
    const inferred: [string, EdmType][] = [];
    const onInferred = (...column: [string, EdmType]): void => void inferred.push(column);
    for await (const lines of linesIn(this.#counted(source), this.#options, onInferred)) {
      for (const line of lines) {
        this.#take(line);
        if (this.#buffer.isFull) await this.#write();
      }
      this.#report();
    }
    await this.#write();
    return { ...this.#progress, inferred: Object.fromEntries(inferred), refusedRows: this.#refusedRows };
  }

  async *#counted(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
    for await (const chunk of source) {
      this.#counts.bytes += typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.byteLength;
      this.#checkRunning();
      yield chunk;
    }
  }

  #take({ row, bad, length }: Line): void {
    if (row !== undefined) {
      this.#counts.read++;
      if (this.#moved.take(row) && !this.#buffer.add(row, length)) this.#counts.repeated++;
    } else if (bad !== undefined) {
      if (this.#options.onBadLine === undefined) throw bad;
      this.#counts.bad++;
      this.#options.onBadLine(bad);
    }
  }

  /**
   * Writes the buffered rows, several transactions concurrently. Their keys differ, so the order does not
   * matter.
   */
  async #write(): Promise<void> {
    await this.#createTable();
    const lists = this.#buffer.take().values();
    let failure: { readonly error: unknown } | undefined;
    const work = async (): Promise<void> => {
      try {
        for (const rows of lists) await this.#writeList(rows);
      } catch (error) {
        failure ??= { error };
        this.#stop.abort(error);
      }
    };
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 4 }, work));
    if (failure !== undefined) throw failure.error;
    this.#report();
  }

  /**
   * Called before the first rows are written, so a file that is not valid creates no table. A file without
   * rows gives an empty table.
   */
  async #createTable(): Promise<void> {
    if (this.#isTableThere) return;
    const { signal } = this.#writing.request;
    await createForMovedRows(this.#storage, this.#table, { signal });
    this.#isTableThere = true;
  }

  async #writeList(rows: readonly StoredEntity[]): Promise<void> {
    this.#checkRunning();
    await this.#pace.wait(this.#writing.request.signal as AbortSignal);
    await writeRows(this.#storage, this.#table, rows, this.#writing);
  }

  #checkRunning(): void {
    const { signal } = this.#writing.request;
    if (signal?.aborted === true) throw cancelled(signal);
  }

  get #progress(): ImportProgress {
    return { table: this.#table, ...this.#counts, omitted: this.#moved.omitted };
  }

  #report(): void {
    this.#options.onProgress?.(this.#progress);
  }
}
