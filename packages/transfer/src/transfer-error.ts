import { brand, shownName } from "@partita/core/internal";
import { TableError } from "@partita/core";

/** What is wrong with a line of a file. */
export interface LineProblem {
  /** Counted from 1; where a row has several lines, its first. */
  readonly line: number;
  /** The property that it is about, where it is about one. */
  readonly property?: string | undefined;
  /** What is wrong, in words, without the value. */
  readonly problem: string;
}

/**
 * Rows cannot be read from a file, or written to one: `transfer.line` for a line that is no row, `transfer.header` for the
 * first line of CSV, `transfer.text` for text that cannot be divided into lines, `transfer.column` for a property that CSV has no
 * column for. `details.line` is the line, counted from 1. Values are in none of them.
 */
export class TransferError extends TableError {
  static {
    brand(this, "TransferError");
  }

  /** A line that is no row. Those after it can still be read. */
  static badLine({ line, property, problem }: LineProblem): TransferError {
    const about = property === undefined ? "" : `${shownName(property)} `;
    return new TransferError(
      "transfer.line",
      `Line ${line} is no row: ${about}${problem}. Correct it, or skip such lines with { onBadLine }.`,
      { line, problem, ...(property !== undefined && { property: shownName(property) }) },
    );
  }

  /** The first line of CSV does not name the columns of a table. */
  static badHeader(line: number, problem: string): TransferError {
    return new TransferError(
      "transfer.header",
      `Line ${line} does not name the columns of a table: ${problem}.`,
      { line, problem },
    );
  }

  /** Text that cannot be divided into rows, from a line on. */
  static badText(line: number, problem: string): TransferError {
    return new TransferError(
      "transfer.text",
      `The file cannot be read from line ${line} on: ${problem}. Where its next row begins is not known, so the import has stopped.`,
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
}
