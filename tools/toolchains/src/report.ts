import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** One tool and the results of its trials. */
export interface Row {
  readonly tool: string;
  readonly version: string;
  /** The module forms that were run. */
  readonly output: string;
  readonly settings: string;
  /** The failures over `memory:`, a file and a table service; undefined where it worked. */
  readonly responses: readonly (string | undefined)[];
  /** Another failure. */
  readonly other?: string | undefined;
  /** The expected result, if it is not that the program works. */
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
  if (before === undefined || after === undefined) throw new Error(`${guide} has no markers of the table.`);
  await writeFile(guide, `${before}${begin}\n\n${tableOf(rows)}\n\n${end}${after}`);
  console.log(`The table in ${guide} is written.`);
}

/** The table as Markdown, with columns of even width as the formatter wants them. */
function tableOf(rows: readonly Row[]): string {
  const head = ["Tool", "Modules", "Settings"];
  const bySettings = Map.groupBy(rows, ({ tool, version, settings, good }) =>
    JSON.stringify([`${tool} ${version}`, good === undefined ? settings : `${good}: ${settings}`]),
  );
  const cells = Array.from(bySettings, ([key, group]) => {
    const [tool = "", settings = ""] = JSON.parse(key) as string[];
    return [tool, group.map(({ output }) => output).join(", "), settings];
  });
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)].join("\n");
}
