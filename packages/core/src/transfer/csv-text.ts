import { TransferError } from "../errors/transfer-error.ts";

/*
 * Comma-separated values by RFC 4180: cells may stand in quotation marks, which are doubled inside of them, and lines end
 * with CRLF. Read is LF, too. A quotation mark anywhere else is an error, and not a guess: what follows it could be cells or
 * the text of one.
 */

/** Whether a cell has to stand in quotation marks. Blanks at its ends would be lost in programs that trim cells. */
const needsQuotes = /[",\r\n]|^\s|\s$/;

/** A cell as it is written. */
export const csvCell = (text: string): string =>
  needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The cells of one record. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Whether a cell stood in quotation marks: such a record is not blank, even if all of its cells are empty. */
  readonly isQuoted: boolean;
  /** Where the next record begins. */
  readonly end: number;
}

/**
 * Reads the record that begins at a position; undefined where the text ends before it does, and more may come.
 *
 * @param line - of its first character, for errors
 * @throws TransferError `transfer.text` for a quotation mark in a wrong place
 */
export function readRecord(text: string, from: number, isEnd: boolean, line: number): CsvRecord | undefined {
  const cells: string[] = [];
  let [at, isQuoted] = [from, false];
  let newline = text.indexOf("\n", from);
  for (;;) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close === -1 || (close === text.length - 1 && !isEnd)) {
        if (!isEnd) return undefined;
        throw TransferError.badText(line, "a quotation mark is never closed");
      }
      cells.push(text.slice(at + 1, close).replaceAll('""', '"'));
      isQuoted = true;
      at = close + 1;
    } else {
      if (newline !== -1 && newline < at) newline = text.indexOf("\n", at);
      if (newline === -1 && !isEnd) return undefined;
      const end = endOfCell(text, at, newline === -1 ? text.length : newline);
      const cell = text.slice(at, end);
      if (cell.includes('"')) throw TransferError.badText(line, "a quotation mark stands inside a cell");
      cells.push(cell);
      at = end;
    }
    if (text[at] === ",") at++;
    else {
      const end = endOfLine(text, at);
      if (end === text.length && text[end - 1] !== "\n" && !isEnd) return undefined;
      if (end === undefined)
        throw TransferError.badText(line, "something follows the closing quotation mark of a cell");
      return { cells, isQuoted, end };
    }
  }
}

/** The quotation mark that closes a cell: the first one that is not one of two. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** Where a cell without quotation marks ends: at a comma, or before CRLF, LF or the end. */
function endOfCell(text: string, from: number, lineEnd: number): number {
  const comma = text.indexOf(",", from);
  if (comma !== -1 && comma < lineEnd) return comma;
  return lineEnd > from && text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;
}

/** Where the next line begins, behind the LF, CRLF or end at a position, or a CR at the end; undefined for anything else. */
function endOfLine(text: string, at: number): number | undefined {
  if (text[at] === "\n") return at + 1;
  const end = text[at] === "\r" ? at + 1 : at;
  if (end === text.length) return end;
  return end > at && text[end] === "\n" ? end + 1 : undefined;
}
