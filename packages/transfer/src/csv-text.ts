import { TransferError } from "./transfer-error.ts";

/*
 * Comma-separated values by RFC 4180: cells may be quoted, quotation marks inside are doubled, and lines end
 * with CRLF. LF and CR alone are also read. A quotation mark in any other place is an error, because the text
 * after it would be ambiguous.
 */

/**
 * The last character of each line of a file: LF, or CR if LF never follows it, as in files of old macOS
 * spreadsheets.
 */
export type LineEnd = "\n" | "\r";

/** The line end at a position. Undefined if the text ends first and more may follow. */
export function lineEndOf(text: string, from: number, isEnd: boolean): LineEnd | undefined {
  const found = /[\r\n]/g;
  found.lastIndex = from;
  const at = found.exec(text)?.index ?? -1;
  if (at === -1) return isEnd ? "\n" : undefined;
  if (text[at] === "\n" || text[at + 1] === "\n") return "\n";
  return at + 1 < text.length || isEnd ? "\r" : undefined;
}

/** Whether a cell must be quoted. Programs that trim cells would lose blanks at its ends. */
const needsQuotes = /[",\r\n]|^\s|\s$/;

/** A cell as CSV text. */
export const csvCell = (text: string): string =>
  needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Text that programs run as a formula. Source: owasp.org "CSV Injection". */
const formula = /^'*[=+\-@\t\r]/;

/**
 * Escapes text that a spreadsheet would run, with a leading apostrophe. Text that looks escaped gets another
 * one.
 */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** The inverse of `escapeFormula`. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;

/** The cells of one record. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Whether a cell was quoted. Such a record is not blank, even if all of its cells are empty. */
  readonly isQuoted: boolean;
  /** The start of the next record. */
  readonly end: number;
}

/**
 * Reads the record at a position. Undefined if the text ends before the record does and more may follow.
 *
 * @param line - of its first character, for errors
 * @throws TransferError `transfer.text` for a misplaced quotation mark
 */
export function readRecord(
  text: string,
  from: number,
  isEnd: boolean,
  line: number,
  lineEnd: LineEnd = "\n",
): CsvRecord | undefined {
  const cells: string[] = [];
  let [at, isQuoted] = [from, false];
  for (;;) {
    const hasQuotes = text[at] === '"';
    const end = hasQuotes ? endOfQuoted(text, at, isEnd, line) : endOfPlain(text, at, isEnd, line, lineEnd);
    if (end === undefined) return undefined;
    cells.push(hasQuotes ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end));
    isQuoted ||= hasQuotes;
    at = end + 1;
    if (text[end] === ",") continue;
    const next = endOfLine(text, end, lineEnd);
    if (next === undefined)
      throw TransferError.badText(line, "there is text after the closing quotation mark of a cell");
    // The end of the text may split a line end.
    if (next === text.length && text[next - 1] !== lineEnd && !isEnd) return undefined;
    return { cells, isQuoted, end: next };
  }
}

/** The end of a quoted cell: after the first quotation mark that is not doubled. */
function endOfQuoted(text: string, from: number, isEnd: boolean, line: number): number | undefined {
  let at = text.indexOf('"', from + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  if (at !== -1) return at === text.length - 1 && !isEnd ? undefined : at + 1;
  if (!isEnd) return undefined;
  throw TransferError.badText(line, "a quotation mark is never closed");
}

const plainText: Readonly<Record<LineEnd, RegExp>> = { "\n": /[^,"\n]*/y, "\r": /[^,"\r]*/y };

/** The end of an unquoted cell: at a comma, or before CRLF, LF, CR or the end. */
function endOfPlain(
  text: string,
  from: number,
  isEnd: boolean,
  line: number,
  lineEnd: LineEnd,
): number | undefined {
  const plain = plainText[lineEnd];
  plain.lastIndex = from;
  plain.test(text);
  const end = plain.lastIndex;
  if (text[end] === '"') throw TransferError.badText(line, "an unquoted cell contains a quotation mark");
  if (end === text.length && !isEnd) return undefined;
  const isLast = text[end] !== ",";
  return isLast && lineEnd === "\n" && end > from && text[end - 1] === "\r" ? end - 1 : end;
}

/** The start of the next line, after the line end or the end of the text. Undefined for anything else. */
function endOfLine(text: string, at: number, lineEnd: LineEnd): number | undefined {
  if (text[at] === lineEnd) return at + 1;
  const end = text[at] === "\r" ? at + 1 : at;
  if (end === text.length) return end;
  return end > at && text[end] === "\n" ? end + 1 : undefined;
}
