import {
  abortSignal,
  accepted,
  aFunction,
  checkFilter,
  type CheckOptions,
  defineOptions,
  followPages,
  oneOf,
  required,
  retriesOf,
  retryReads,
  rowProperty,
  trueOrFalse,
} from "@partita/core/internal";
import { parseFilter } from "@partita/core/protocol";
import type { TableStorage } from "@partita/core";
import type { StoredEntity, StoredQuery } from "@partita/core/storage";
import { TransferError } from "./transfer-error.ts";
import { ColumnNames, propertiesOf, type RowForm, RowText } from "./row-text.ts";
import { aColumnList, checkFormulas } from "./rows-as-text.ts";
import { checkReadTable } from "./table-location.ts";
import {
  MovedRows,
  type OmittedRows,
  type TransactionRows,
  transactionRowsCheck,
} from "./transaction-rows.ts";

/** Options for exporting a table. */
export interface ExportOptions extends RowForm {
  /** An OData filter on stored names: `PartitionKey eq 'a' and Rating gt 3`. */
  readonly filter?: string | undefined;
  /**
   * Stored names of the properties to export with the keys. By default all, and CSV then reads the table
   * twice.
   */
  readonly columns?: readonly string[] | undefined;
  /** Whether waiting messages of an outbox and markers of transactions are left out. Default `omit`. */
  readonly transactionRows?: TransactionRows | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of an export. */
export interface ExportProgress {
  readonly table: string;
  /** `columns` while CSV reads the names of all properties, then `rows`. */
  readonly step: "columns" | "rows";
  /** Rows that this step has read for the export. */
  readonly rows: number;
  /** Rows that this step has left out. */
  readonly omitted: OmittedRows;
  /** Bytes of UTF-8 returned so far. */
  readonly bytes: number;
}

const checkOptions: CheckOptions = defineOptions<ExportOptions>(
  "exportTable(storage, table, options)",
  {
    format: required(oneOf("jsonl", "csv")),
    filter: accepted("a filter as text", (value) => typeof value === "string"),
    timestamps: trueOrFalse,
    columns: aColumnList,
    escapeFormulas: trueOrFalse,
    transactionRows: transactionRowsCheck,
    onProgress: aFunction,
    signal: abortSignal,
  },
  "transfer.option",
);

/** Approximate length of a chunk. */
const chunkLength = 65_536;

/**
 * Exports the rows of a table as text, in chunks of complete lines: `jsonl` or `csv`. Values and EDM types
 * are exact in both, and `importTable` reads both. Memory does not grow with the table. Rows that are written
 * meanwhile may be in it or not.
 *
 * Rows of indexes are exported with those of entities. Waiting messages of an outbox and markers of
 * transactions are left out, unless `transactionRows` is `keep`. The last call of `onProgress` has their
 * number.
 *
 * CSV needs its columns before the first row, so it reads the table twice, or uses `columns`.
 *
 * @throws OptionError `transfer.option`; QueryError for an invalid filter; TransferError `transfer.column`
 * for a property that cannot be a CSV column, or was first written after the columns were read; StorageError
 */
export function exportTable(
  storage: TableStorage,
  table: string,
  options: ExportOptions,
): AsyncIterable<string> {
  checkReadTable("exportTable(storage, table)", table);
  checkOptions(options ?? {});
  checkFormulas("exportTable(storage, table, options)", options);
  return new TableExport(storage, table, options).chunks();
}

class TableExport {
  readonly #storage: TableStorage;
  readonly #table: string;
  readonly #options: ExportOptions;
  readonly #query: StoredQuery;
  readonly #moved: MovedRows;

  constructor(storage: TableStorage, table: string, options: ExportOptions) {
    const { filter, columns, transactionRows } = options;
    this.#moved = new MovedRows(transactionRows, columns === undefined);
    this.#storage = retryReads(storage, retriesOf(storage));
    this.#table = table;
    this.#options = options;
    this.#query = {
      ...(filter !== undefined && { filter: checkFilter(parseFilter(filter)) }),
      ...(columns !== undefined && {
        select: ["PartitionKey", "RowKey", "Timestamp", rowProperty, ...columns],
      }),
    };
  }

  async *chunks(): AsyncGenerator<string> {
    const { format, columns } = this.#options;
    const isComplete = format === "csv" && columns === undefined;
    const named = isComplete ? await this.#findColumns() : columns;
    const known = new Set(named);
    const { head, line } = new RowText(this.#options, named);
    let text = head;
    let [rows, bytes] = [0, 0];
    const give = (): string => {
      const chunk = text;
      bytes += Buffer.byteLength(chunk);
      text = "";
      report();
      return chunk;
    };
    const report = (): void => {
      const { omitted } = this.#moved;
      this.#options.onProgress?.({ table: this.#table, step: "rows", rows, omitted, bytes });
    };
    for await (const row of this.#rows()) {
      if (!this.#moved.take(row)) continue;
      if (isComplete) checkKnown(row, known);
      text += line(row);
      rows++;
      if (text.length >= chunkLength) yield give();
    }
    if (text !== "") yield give();
    // Rows that are left out may follow the last one.
    else report();
  }

  async *#rows(): AsyncGenerator<StoredEntity> {
    const { signal } = this.#options;
    for await (const { entities } of followPages(this.#storage, this.#table, this.#query, { signal }))
      yield* entities;
  }

  /** The names of all properties, in the order of their first use. */
  async #findColumns(): Promise<readonly string[]> {
    const found = new ColumnNames();
    let rows = 0;
    for await (const row of this.#rows()) {
      if (!this.#moved.isMoved(row)) continue;
      found.add(row);
      if (++rows % 1000 === 0)
        this.#options.onProgress?.({
          table: this.#table,
          step: "columns",
          rows,
          omitted: this.#moved.omitted,
          bytes: 0,
        });
    }
    return found.names;
  }
}

/** Refuses a row that CSV would lose a part of. @throws TransferError `transfer.column` */
function checkKnown(row: StoredEntity, columns: ReadonlySet<string>): void {
  for (const name of propertiesOf(row))
    if (!columns.has(name))
      throw TransferError.noColumn(
        name,
        'was written after the columns were read. Export the table again, set { columns }, or export it as "jsonl".',
      );
}
