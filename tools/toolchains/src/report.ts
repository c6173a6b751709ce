import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** One tool, and what came of its trials. */
export interface Row {
  readonly tool: string;
  readonly version: string;
  /** The module forms that were run. */
  readonly output: string;
  readonly settings: string;
  /** For `memory:`, a file and a table service: undefined where it worked. */
  readonly responses: readonly (string | undefined)[];
  /** What was wrong beside them. */
  readonly other?: string | undefined;
  /** The word for what worked; `yes` when absent. */
  readonly good?: string;
  readonly problems: readonly string[];
}

const guide = join(import.meta.dirname, "../../../docs/toolchains.md");
const begin = "<!-- pnpm toolchains: begin -->";
const end = "<!-- pnpm toolchains: end -->";

/** Writes the table between its markers in the guide. */
export async function writeTable(rows: readonly Row[]): Promise<void> {
  const text = await readFile(guide, "utf8");
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${guide} has lost the markers of the table.`);
  await writeFile(guide, `${before}${begin}\n\n${tableOf(rows)}\n\n${end}${after}`);
  console.log(`The table in ${guide} is written.`);
}

/** The table as Markdown, with columns of even width as the formatter wants them. */
function tableOf(rows: readonly Row[]): string {
  const head = ["Tool", "Version", "Modules", "`memory:`", "`file:`", "Table service", "What to set"];
  const cells = rows.map(({ tool, version, output, settings, responses, good = "yes" }) => [
    tool,
    version,
    output,
    ...responses.map((response) => (response === undefined ? good : "no")),
    settings,
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)].join("\n");
}
