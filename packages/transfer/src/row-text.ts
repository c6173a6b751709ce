// `exportTable` and `rowsAsText` write rows with this file, so both produce the same text.

import { isSystemName } from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";
import { csvHeader, csvRow, isColumnName } from "./csv-rows.ts";
import { jsonLine } from "./json-lines.ts";
import { TransferError } from "./transfer-error.ts";

/**
 * A form of rows as text: `jsonl`, the service's own JSON with one row a line, or `csv`, the format of Azure
 * Storage Explorer.
 */
export type FileFormat = "jsonl" | "csv";

/** The form of rows as text. */
export interface RowForm {
  /** Use `jsonl`, unless a program needs CSV. */
  readonly format: FileFormat;
  /**
   * Whether rows include their Timestamp, which imports ignore. Default true for CSV, like Storage Explorer.
   */
  readonly timestamps?: boolean | undefined;
  /**
   * Whether CSV has an apostrophe before text that starts like a formula (`=`, `+`, `-`, `@`, tab or CR),
   * which keeps spreadsheets from running it. An import with the same option removes the apostrophe.
   */
  readonly escapeFormulas?: boolean | undefined;
}

/** Writes rows as text in one form. */
export class RowText {
  /** The text before the first row. */
  readonly head: string;
  /** A row as text, with its line end. */
  readonly line: (row: StoredEntity) => string;

  /** @param columns - the properties to write; `csv` needs them, and without them `jsonl` writes all */
  constructor(
    { format, timestamps = format === "csv", escapeFormulas = false }: RowForm,
    columns: readonly string[] | undefined,
  ) {
    const form = { hasTimestamp: timestamps, escapesFormulas: escapeFormulas };
    if (format === "csv") {
      const names = columns ?? [];
      this.head = csvHeader(names, timestamps);
      this.line = (row) => csvRow(row, names, form);
    } else {
      const named = columns && new Set(columns);
      this.head = "";
      this.line = (row) => jsonLine(row, timestamps, named);
    }
  }
}

/** Maximum columns of CSV. With more, most cells would be empty. */
const mostColumns = 10_000;

/** Collects the names of the properties of rows, in the order of their first use. */
export class ColumnNames {
  readonly #names: Set<string> = new Set();

  /** @throws TransferError `transfer.column` */
  add(row: StoredEntity): void {
    for (const name of propertiesOf(row)) this.#names.add(name);
    if (this.#names.size > mostColumns)
      throw TransferError.noColumn(
        undefined,
        `has more than ${mostColumns} different properties. Export it as "jsonl", or set { columns }.`,
      );
  }

  /** @throws TransferError `transfer.column` for a name that CSV cannot have */
  get names(): readonly string[] {
    for (const name of this.#names)
      if (!isColumnName(name))
        throw TransferError.noColumn(name, 'cannot be a column of CSV. Export the table as "jsonl".');
    return [...this.#names];
  }
}

/** The names of the properties that a row has. */
export const propertiesOf = (row: StoredEntity): readonly string[] =>
  Object.keys(row).filter((name) => !isSystemName(name) && row[name] !== undefined);
