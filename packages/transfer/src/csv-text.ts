import { TransferError } from "./transfer-error.ts";

/*
 * Comma-separated values by RFC 4180: cells may stand in quotation marks, which are doubled inside of them, and lines end
 * with CRLF. LF and CR alone are read, too. A quotation mark anywhere else is an error, and not a guess: what follows it could
 * be cells or the text of one.
 */

/** The last character of each line of a file: LF, or CR where LF never follows it, as old spreadsheets of macOS write it. */
export type LineEnd = "\n" | "\r";

/** How the line at a position ends; undefined where the text ends first, and more may come. */
export function lineEndOf(text: string, from: number, isEnd: boolean): LineEnd | undefined {
  const found = /[\r\n]/g;
  found.lastIndex = from;
  const at = found.exec(text)?.index ?? -1;
  if (at === -1) return isEnd ? "\n" : undefined;
  if (text[at] === "\n" || text[at + 1] === "\n") return "\n";
  return at + 1 < text.length || isEnd ? "\r" : undefined;
}

/** Whether a cell has to stand in quotation marks. Blanks at its ends would be lost in programs that trim cells. */
const needsQuotes = /[",\r\n]|^\s|\s$/;

/** A cell as it is written. */
export const csvCell = (text: string): string =>
  needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** What programs take for a formula. Source: owasp.org "CSV Injection". */
const formula = /^'*[=+\-@\t\r]/;

/** Text that no spreadsheet takes for a formula: with an apostrophe before what would be one, or another such text. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** The text before `escapeFormula`. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;

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
      throw TransferError.badText(line, "something follows the closing quotation mark of a cell");
    // What looks like the end of the line may be half of it.
    if (next === text.length && text[next - 1] !== lineEnd && !isEnd) return undefined;
    return { cells, isQuoted, end: next };
  }
}

/** Where a cell in quotation marks ends: behind the first one that is not one of two. */
function endOfQuoted(text: string, from: number, isEnd: boolean, line: number): number | undefined {
  let at = text.indexOf('"', from + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  if (at !== -1) return at === text.length - 1 && !isEnd ? undefined : at + 1;
  if (!isEnd) return undefined;
  throw TransferError.badText(line, "a quotation mark is never closed");
}

const plainText: Readonly<Record<LineEnd, RegExp>> = { "\n": /[^,"\n]*/y, "\r": /[^,"\r]*/y };

/** Where a cell without quotation marks ends: at a comma, or before CRLF, LF, CR or the end. */
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
  if (text[end] === '"') throw TransferError.badText(line, "a quotation mark stands inside a cell");
  if (end === text.length && !isEnd) return undefined;
  const isLast = text[end] !== ",";
  return isLast && lineEnd === "\n" && end > from && text[end - 1] === "\r" ? end - 1 : end;
}

/** Where the next line begins, after the line end or end at a position, or a CR at the end; undefined for anything else. */
function endOfLine(text: string, at: number, lineEnd: LineEnd): number | undefined {
  if (text[at] === lineEnd) return at + 1;
  const end = text[at] === "\r" ? at + 1 : at;
  if (end === text.length) return end;
  return end > at && text[end] === "\n" ? end + 1 : undefined;
}
