import { readFileSync, writeFileSync } from "node:fs";
import { amount } from "../print-row.ts";
import type { Results } from "../run/results-file.ts";
import { describeMachine } from "../tables.ts";

/** A figure for the guide. */
interface Selected {
  /** The name of its row. */
  readonly row: string;
  readonly work: string;
  /** Partita's contender. */
  readonly ours: string;
  /** The contender to compare with, and its name in the guide. */
  readonly other: string;
  readonly otherName?: string;
}

const dataTables = "@azure/data-tables";

/** The most telling figures, good and bad. */
const selected: readonly Selected[] = [
  {
    row: "page over HTTP",
    work: "Read a page of 1,000 rows, per row",
    ours: "Partita, tracked",
    other: dataTables,
  },
  {
    row: "point read",
    work: "Read one row by its key",
    ours: "Partita: a new context, find()",
    other: dataTables,
  },
  {
    row: "transaction",
    work: "Insert 100 rows in one transaction, per row",
    ours: "Partita",
    other: dataTables,
  },
  {
    row: "service, bundled, first 20 rows",
    work: "Cold start of a bundle: read 20 rows of a service",
    ours: "Partita",
    other: dataTables,
  },
  {
    row: "cycle",
    work: "Insert 10,000 rows into a file, read them, change 1,000",
    ours: "Partita",
    other: "MikroORM over better-sqlite3",
    otherName: "MikroORM",
  },
  {
    row: "load",
    work: "Insert 135,483 rows into a file",
    ours: "change detection, validation, transactions",
    other: "node:sqlite by hand, transactions of 100",
    otherName: "`node:sqlite` by hand",
  },
  {
    row: "file, bundled, first query",
    work: "Cold start of a bundle: open a file and query it",
    ours: "Partita",
    other: "Drizzle over better-sqlite3",
    otherName: "Drizzle",
  },
  {
    row: "server: transactions of 100",
    work: "Table server in memory: insert a row in a transaction of 100",
    ours: "Partita's server over memory",
    other: "Azurite, in memory",
    otherName: "Azurite",
  },
  {
    row: "postgres: a transaction of 100 inserts",
    work: "PostgreSQL: insert a row in a transaction of 100",
    ours: "@partita/postgres",
    other: "SQL by hand, with pg",
    otherName: "`pg` by hand",
  },
  {
    row: "scan: n lt 5, rows of 1 KB",
    work: "Table server in memory: scan rows of 1 KB, per row",
    ours: "Partita's server over memory",
    other: "Azurite, in memory",
    otherName: "Azurite",
  },
];

const [begin, end] = ["<!-- selected: written by pnpm bench:plots -->", "<!-- /selected -->"];

/** Writes the selected figures into a page, between its two marks. @throws Error where a mark or a figure is missing */
export function writeSelection(file: string, results: Results): void {
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end}.`);
  const table = [
    "| Work | Partita | Compared with | |",
    "| --- | --- | --- | --- |",
    ...selected.map((each) => lineOf(each, results)),
  ];
  const written = `${describeMachine(results)}\n\n${table.join("\n")}`;
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${written}\n\n${text.slice(to)}`);
}

function lineOf({ row, work, ours, other, otherName = `\`${other}\`` }: Selected, { rows }: Results): string {
  const found = rows.find(({ name }) => name === row);
  const costOf = (contender: string): number => {
    const cost = found?.contenders.find(({ name }) => name === contender)?.median;
    if (cost === undefined) throw new Error(`There is no figure of "${contender}" in "${row}".`);
    return cost;
  };
  const [mine, theirs] = [costOf(ours), costOf(other)];
  const unit = found?.unit ?? "ns";
  return `| ${work} | ${amount(mine, unit)} | ${otherName}: ${amount(theirs, unit)} | ${comparison(mine, theirs)} |`;
}

/** In whole numbers from 3 up: runs differ by a tenth. */
function comparison(mine: number, theirs: number): string {
  const factor = Math.max(mine, theirs) / Math.min(mine, theirs);
  if (factor < 1.1) return "the same";
  const shown = factor < 3 ? factor.toFixed(1) : factor.toFixed(0);
  return `${shown} times ${mine < theirs ? "less" : "more"}`;
}
