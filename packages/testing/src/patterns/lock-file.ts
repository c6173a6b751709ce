import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { PatternError, type PatternUse } from "@partita/patterns";
import type { CheckedPattern } from "./check-pattern.ts";

/** The environment variable that makes a run write lock files. */
const updateVariable = "PARTITA_UPDATE_PATTERNS";

const columns = ["Pattern", "Plan", "Rating", "Requests", "Partitions", "Ranges", "Filter", "Index"] as const;
/** Columns that only appear if a pattern has a declared use. */
const useColumns = ["Per minute", "Rows", "Within"] as const;
const allColumns: readonly string[] = [...columns, ...useColumns];

/** The text of a table's cells, by the name of the row. */
type Rows = ReadonlyMap<string, readonly string[]>;

/**
 * Compares patterns with their lock file, or writes it. @throws PatternError `pattern.lock-missing`,
 * `pattern.lock-changed`
 */
export function holdToLock(
  checked: readonly CheckedPattern[],
  lock: string | URL,
  update: boolean | undefined,
): void {
  const rows: Rows = new Map(rowsOf(checked).map((cells) => [cells[0] ?? "", cells]));
  const mayWrite = update ?? isSet(updateVariable);
  const text = existsSync(lock) ? readFileSync(lock, "utf8") : undefined;
  if (text === undefined && !mayWrite && isSet("CI")) throw missing(lock);
  const differences = text === undefined ? [] : differencesOf(readRows(text), rows);
  if (text === undefined || (mayWrite && differences.length > 0)) writeFileSync(lock, printLock(rows));
  else if (differences.length > 0) throw changed(lock, differences);
}

const isSet = (variable: string): boolean => !["", "0", "false", undefined].includes(process.env[variable]);

/** The lines of the table, with a cell for each column. */
function rowsOf(checked: readonly CheckedPattern[]): readonly (readonly string[])[] {
  const hasUse = checked.some(({ use }) => use !== undefined);
  return checked.map((each) => [...cellsOf(each), ...(hasUse ? useCells(each.use) : [])]);
}

const useCells = ({ perMinute, rows, withinMs }: PatternUse = {}): readonly string[] => [
  perMinute?.toLocaleString("en") ?? "",
  rows?.toLocaleString("en") ?? "",
  withinMs === undefined ? "" : `${withinMs.toLocaleString("en")} ms`,
];

function cellsOf({ name, plan }: CheckedPattern): readonly string[] {
  const { type, rating, requests, partitions, ranges, filter, index, isChecked } = plan;
  const client = isChecked ? ["checked on the client"] : [];
  return [
    name,
    type,
    rating,
    atMost(requests, "one for each entity"),
    atMost(partitions, "any"),
    ranges ?? (requests === 0 ? "none" : "all keys"),
    [...(filter === undefined ? [] : [filter]), ...client].join("; ") || "none",
    index ?? "none",
  ].map(oneLine);
}

const atMost = (count: number | undefined, otherwise: string): string =>
  count === undefined ? otherwise : count < 2 ? String(count) : `up to ${count}`;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The results of patterns as the Markdown table of a lock file. */
export const patternTable = (checked: readonly CheckedPattern[]): string => printTable(rowsOf(checked));

/** Padded as formatters do. */
function printTable(rows: readonly (readonly string[])[]): string {
  const shown = allColumns.slice(0, rows[0]?.length ?? columns.length);
  const all = [shown, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", String.raw`\|`)));
  const widths = shown.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lines = all.map((row) => line(row.map((cell, i) => cell.padEnd(widths[i] ?? 0))));
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const printLock = (rows: Rows): string =>
  [
    "# Access patterns",
    "",
    "Each line is the worst plan of a pattern at the corner values of its parameters; `…` replaces a value. `assertPatterns` of",
    `\`@partita/testing\` checks this file, and writes it again if \`${updateVariable}=1\` is set.`,
    "",
    printTable([...rows.values()]),
    "",
  ].join("\n");

/** Reads the rows of a table, with any padding. */
function readRows(text: string): Rows {
  const lines = text.split(/\r?\n/).filter((each) => each.trimStart().startsWith("|"));
  const rows = lines.map((each) =>
    each
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll(String.raw`\|`, "|").trim()),
  );
  // The first two rows are the heading.
  return new Map(rows.slice(2).map((cells) => [cells[0] ?? "", cells]));
}

function differencesOf(before: Rows, now: Rows): string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.flatMap((name) => {
    const [old, present] = [before.get(name), now.get(name)];
    if (old === undefined || present === undefined)
      return [`  ${old === undefined ? "+" : "-"} ${name}: ${describe(old ?? present ?? [])}`];
    const changes = changesOf(old, present);
    return changes.length === 0 ? [] : [`  ${name}`, ...changes];
  });
}

const describe = (cells: readonly string[]): string => `${cells[1]}, ${cells[5]}`;

const changesOf = (old: readonly string[], present: readonly string[]): string[] =>
  allColumns.flatMap((column, i) => {
    const [before = "", now = ""] = [old[i], present[i]];
    const name = column.toLowerCase();
    return before === now ? [] : [`    - ${name}: ${before}`, `    + ${name}: ${now}`];
  });

const remedy = `set ${updateVariable}=1 for one run, or pass { update: true }, and commit the file`;

function changed(lock: string | URL, differences: readonly string[]): PatternError {
  const message = [
    `The plans of access patterns differ from ${String(lock)}:`,
    ...differences,
    `If the change is intended, ${remedy}.`,
  ].join("\n");
  return new PatternError("pattern.lock-changed", message, { lock: String(lock), differences });
}

const missing = (lock: string | URL): PatternError =>
  new PatternError(
    "pattern.lock-missing",
    `${String(lock)} does not exist, and CI does not write it. Run the test on your machine to write it, and commit the file.`,
    { lock: String(lock) },
  );
