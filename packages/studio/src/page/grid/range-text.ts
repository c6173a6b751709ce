import type { Cell } from "../../api/cells.ts";
import { cellLine } from "../text/cell-text.ts";

/** The cells of a range, line by line. A cell without a value is undefined. */
export type CellTable = readonly (readonly (Cell | undefined)[])[];

/** The clipboard's type of cells with their EDM types. Only this page reads it. */
export const cellsType = "application/x-partita-cells+json";

/** Cells as text that spreadsheets paste: tabs between cells, and quotation marks where a cell needs them. */
export function cellsAsText(table: CellTable): string {
  const lines = table.map((line) => line.map((cell) => quoted(cellLine(cell?.[2]))).join("\t"));
  // A line end at the end of a text begins no line.
  return lines.join("\n") + (lines.length > 1 && lines.at(-1) === "" ? "\n" : "");
}

const quoted = (text: string): string =>
  /[\t\r\n]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The inverse for text of any program: the texts of cells, line by line. */
export function textAsCells(text: string): string[][] {
  const lines: string[][] = [[]];
  const pattern = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/gy;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [, inQuotes, plain = "", end] = found;
    lines.at(-1)?.push(inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'));
    if (end === "") break;
    // A line end after the last line begins no other one.
    if (end !== "\t" && pattern.lastIndex < text.length) lines.push([]);
    else if (end !== "\t") break;
  }
  return lines;
}

/** Reads cells with their types. Undefined for text that this page did not write. */
export function typedCells(json: string): CellTable | undefined {
  if (json === "") return undefined;
  const table = JSON.parse(json) as (readonly (Cell | null)[])[];
  return table.map((line) => line.map((cell) => cell ?? undefined));
}

/** Whether text has complete rows: JSON with keys, or CSV with a header. */
export const hasRows = (text: string): boolean =>
  /^\s*\[?\s*\{/.test(text)
    ? text.includes('"PartitionKey"')
    : /^(?=.*\bPartitionKey\b)(?=.*\bRowKey\b).*,/.test(text.slice(0, 100_000));
