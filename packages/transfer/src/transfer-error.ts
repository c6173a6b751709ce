import { brand, shownName } from "@partita/core/internal";
import { type EdmType, type EntityKey, TableError } from "@partita/core";

/** A problem with a line of a file. */
export interface LineProblem {
  /** Counted from 1. The first line of a row with several lines. */
  readonly line: number;
  /** The property with the problem, if there is one. */
  readonly property?: string | undefined;
  /** The problem in words, without the value. */
  readonly problem: string;
}

/**
 * Rows cannot be read from a file, or written to one: `transfer.line` for a line that is not a row,
 * `transfer.header` for the first line of CSV, `transfer.text` for text that cannot be divided into lines,
 * `transfer.column` for a property that CSV has no column for, `transfer.types` for columns without types. `details.line` is the line, counted from 1.
 * `transfer.table-not-empty`, `transfer.already-copied` and `transfer.row-exists` protect rows of the target.
 * None of them contains values of properties.
 */
export class TransferError extends TableError {
  static {
    brand(this, "TransferError");
  }

  /** A line that is not a row. Later lines can still be read. */
  static badLine({ line, property, problem }: LineProblem): TransferError {
    const about = property === undefined ? "" : `${shownName(property)} `;
    return new TransferError(
      "transfer.line",
      `Line ${line} is not a row: ${about}${problem}. Correct it, or skip such lines with { onBadLine }.`,
      { line, problem, ...(property !== undefined && { property: shownName(property) }) },
    );
  }

  /** The first line of CSV does not contain the columns of a table. */
  static badHeader(line: number, problem: string): TransferError {
    return new TransferError(
      "transfer.header",
      `Line ${line} does not contain the column names of a table: ${problem}.`,
      { line, problem },
    );
  }

  /**
   * Columns of CSV without types.
   *
   * @param columns - their names, with the types of their values
   * @param hasClasses - whether the types of classes were given, which do not have these columns
   */
  static untyped(
    line: number,
    columns: readonly (readonly [name: string, type: EdmType])[],
    hasClasses: boolean,
  ): TransferError {
    const shown = columns.slice(0, mostShown).map(([name, type]) => `${shownName(name)} (${type})`);
    const more = columns.length > mostShown ? ` and ${columns.length - mostShown} more` : "";
    const problem = hasClasses
      ? "No class declares these columns without types, shown with the types of their values"
      : "The CSV has columns without types, shown with the types of their values";
    return new TransferError(
      "transfer.types",
      `${problem}: ${shown.join(", ")}${more}. Set { types } to "infer" to import these types, to "text" to import all as text, or to the classes that declare the columns.`,
      { line, columns: Object.fromEntries(columns.map(([name, type]) => [shownName(name), type])) },
    );
  }

  /** Text that cannot be divided into rows, from a line on. */
  static badText(line: number, problem: string): TransferError {
    return new TransferError(
      "transfer.text",
      `The file cannot be read from line ${line} on: ${problem}. The start of the next row is unknown, so the import has stopped.`,
      { line, problem },
    );
  }

  /** A property that has no column in CSV. */
  static noColumn(property: string | undefined, problem: string): TransferError {
    return new TransferError(
      "transfer.column",
      `${property === undefined ? "The table" : `The property ${shownName(property)}`} ${problem}`,
      { ...(property !== undefined && { property: shownName(property) }) },
    );
  }

  /** The target has rows, so nothing was written. */
  static tableNotEmpty(table: string): TransferError {
    return new TransferError(
      "transfer.table-not-empty",
      `The table ${table} already has rows, so nothing was written. ${existingRemedy}`,
      { table },
    );
  }

  /** The target has the rows of an earlier copy that has ended, so nothing was written. */
  static alreadyCopied(table: string): TransferError {
    return new TransferError(
      "transfer.already-copied",
      `The table ${table} has the rows of an earlier copy, which has ended, so nothing was written. ${existingRemedy}`,
      { table },
    );
  }

  /** The key of a new row already exists, with other values. */
  static rowExists(table: string, key: EntityKey): TransferError {
    return new TransferError(
      "transfer.row-exists",
      `The table ${table} already has another row with the key ${shownKey(key)}, which was left unchanged. Rows before it may have been written. ${existingRemedy}`,
      { table, ...key },
    );
  }

  /** A source has two rows with one key, so only one of them could be stored. */
  static rowRepeated(key: EntityKey): TransferError {
    return new TransferError(
      "transfer.row-exists",
      `Two different rows have the key ${shownKey(key)}, so one would be lost. Rows before them may have been written. ${existingRemedy}`,
      { ...key },
    );
  }
}

/** Columns in a message. */
const mostShown = 20;

const existingRemedy =
  'Set { existing } to "replace" to overwrite rows with the same keys, "merge" to write only the properties of the new rows, or "skip" to leave such rows unchanged.';

const shownKey = ({ partitionKey, rowKey }: EntityKey): string =>
  `(${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;
