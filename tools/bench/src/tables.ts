import { amount, describeTarget } from "./print-row.ts";
import type { ReportedContender, ReportedRow } from "./report.ts";
import { figuresOf } from "./run/figures.ts";
import type { Results } from "./run/results-file.ts";

/** All measurements in Markdown: which figures meet their targets, then every row. */
export function measurementTables(results: Results): string {
  const rows = [...header, ...results.rows.flatMap(linesOf)];
  return ["## Figures with targets", "", ...figuresTable(results), "", "## Every row", "", ...rows].join(
    "\n",
  );
}

/** When and with what was measured, in one sentence. */
export function describeMachine({ machine, versions, rows }: Results): string {
  const dates = rows.map(({ date }) => date).toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  const names = [
    "node",
    "sqlite",
    "undici",
    "@azure/data-tables",
    "better-sqlite3",
    "drizzle-orm",
    "@mikro-orm/core",
    "typeorm",
    "esbuild",
  ];
  const found = names.map((name) => `${name} ${versions[name] ?? "unknown"}`).join(", ");
  return `Measured ${first === last ? `on ${first}` : `from ${first} to ${last}`}: ${machine["processor"]}, ${machine["cores"]} cores, ${machine["system"]}; ${found}.`;
}

/** The figures that have a goal, and whether they meet their targets. */
function figuresTable({ rows }: Results): string[] {
  const figures = figuresOf(rows.map((row) => ({ row }))).filter(({ goal }) => goal !== undefined);
  return [
    "| Figure | Found | Compared with | Target | Goal | |",
    "| --- | --- | --- | --- | --- | --- |",
    ...figures.map(
      ({ name, meaning, found, target, goal, holds }) =>
        `| ${name} | ${found} | ${meaning} | ${target} | ${goal} | ${holds ? "holds" : "**missed**"} |`,
    ),
  ];
}

const header = ["| Work | Contender | Cost | × baseline | Target |", "| --- | --- | --- | --- | --- |"];

function linesOf(row: ReportedRow): string[] {
  return row.contenders.map((contender, i) => {
    const { name, role, median, ratio } = contender;
    const shown = role === "ours" ? `**${name}**` : name;
    const beside = ratio === undefined ? "" : `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)})`;
    return `| ${i === 0 ? row.title : ""} | ${shown} | ${amount(median, row.unit)} | ${beside} | ${targetCell(contender, row.unit)} |`;
  });
}

function targetCell({ target, targetRatio }: ReportedContender, unit: ReportedRow["unit"]): string {
  if (target === undefined) return "";
  const words = describeTarget(target, unit);
  return targetRatio === undefined ? words : `${words}; found ${targetRatio.median.toFixed(2)}`;
}
