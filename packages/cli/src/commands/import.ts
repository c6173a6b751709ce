import type { CommandLine } from "../command-line.ts";
import { existing, format, limits, storageFirst } from "./shared.ts";

export function importCommand(program: CommandLine): void {
  storageFirst(program.command("import"))
    .summary("Write the rows of a file to a table.")
    .description(
      "Write the rows of a file to a table. The table is created if it doesn't exist. Reads the output of partita export, CSV of Azure Storage Explorer, and a list of rows in JSON.",
    )
    .argument("<table>", "The name of a table.")
    .argument("<file>", "The file, or - for standard input.")
    .option("--format <format>", "jsonl or csv. Default: decided by the first character.", format)
    .option("--escape-formulas", "Remove the apostrophes of CSV that was exported with this option.")
    .option(
      "--types <types>",
      "For columns of CSV without types: infer, text, or a compiled module that exports the table's classes.",
    )
    .with(existing)
    .option(
      "--skip-bad",
      "Skip and report lines that are not rows. By default the import stops at the first.",
    )
    .with(limits("transactions sent concurrently"))
    .option("--dry-run", "Check every line, and write nothing to the storage.")
    .examples("partita import file:imported.db Places japan.csv")
    .notes(
      "CSV with a column that has no @type column is refused without --types, with the types that its values have. infer imports",
      "these types. Numbers such as 007 and times without a time zone are text.",
      "If the table already has rows, nothing is written, unless you choose another --existing. If an import was stopped, run it",
      "again with --existing replace.",
      "The exit code is 1 if rows were refused or lines skipped, 2 for a usage error, and 130 if it was stopped.",
    )
    .does(async (args, options) => (await import("../data/import.ts")).importRows(args, options));
}
