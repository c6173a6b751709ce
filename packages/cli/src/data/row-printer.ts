import { styleText } from "node:util";
import type { Output } from "../terminal/output.ts";
import { printable } from "../terminal/printable.ts";

/** A row, or a plain entity. */
type Row = Readonly<Record<string, unknown>>;

/** The first rows determine the columns. */
const sample = 50;
const widest = 40;

/** Prints rows: as a table in a terminal; elsewhere, or on request, as lines of JSON. */
export class RowPrinter {
  readonly #out: Output;
  readonly #isTable: boolean;
  #waiting: Row[] | undefined = [];
  #columns: readonly { readonly name: string; readonly width: number }[] = [];

  constructor(out: Output, isJson: boolean) {
    this.#out = out;
    this.#isTable = out.isTerminal && !isJson;
  }

  async print(row: Row): Promise<void> {
    if (!this.#isTable) return this.#out.line(jsonFor(this.#out, row));
    if (this.#waiting === undefined) return this.#out.line(this.#lineOf(row));
    this.#waiting.push(row);
    if (this.#waiting.length === sample) await this.end();
  }

  /** Prints the rows that waited for the columns. */
  async end(): Promise<void> {
    const rows = this.#waiting ?? [];
    this.#waiting = undefined;
    if (rows.length === 0) return;
    const names = new Set(rows.flatMap((row) => Object.keys(row).filter(isColumn)));
    this.#columns = [...names].map((name) => ({
      name,
      width: Math.max(
        ...[printable(name), ...rows.map((row) => cellOf(row[name]))].map((text) => text.length),
      ),
    }));
    const heading = this.#columns
      .map(({ name, width }) => printable(name).padEnd(width))
      .join("  ")
      .trimEnd();
    await this.#out.line(styleText("bold", heading, { stream: process.stdout }));
    for (const row of rows) await this.#out.line(this.#lineOf(row));
  }

  #lineOf(row: Row): string {
    const known = new Set(this.#columns.map(({ name }) => name));
    // Properties outside of the columns follow after them.
    const others = Object.keys(row)
      .filter((name) => isColumn(name) && !known.has(name))
      .map((name) => `${printable(name)}=${cellOf(row[name])}`);
    const cells = this.#columns.map(({ name, width }) => cellOf(row[name]).padEnd(width));
    return [...cells, ...others].join("  ").trimEnd();
  }
}

/** Annotations are for programs. */
const isColumn = (name: string): boolean => !name.includes("@") && name !== "odata.etag";

/** A value on one line, shortened if it is long. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = printable(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text;
}

/** A line of JSON. In a terminal, dangerous characters are escaped; JSON can still read them. */
export function jsonFor(out: Output, value: unknown): string {
  const json = JSON.stringify(value);
  return out.isTerminal ? printable(json) : json;
}
