import type { CommandLine } from "../command-line.ts";
import { existing, format, limits, storageFirst } from "./shared.ts";

export function importCommand(program: CommandLine): void {
  storageFirst(program.command("import"))
    .summary("Writes the rows of a file into a table.")
    .description(
      "Writes the rows of a file into a table, which is made where it is not there. It reads what partita export writes, CSV of Azure Storage Explorer, and a list of rows in JSON.",
    )
    .argument("<table>", "The name of a table.")
    .argument("<file>", "The file, or - for standard input.")
    .option("--format <format>", "jsonl or csv; by default what the first character says.", format)
    .option("--escape-formulas", "Takes away the apostrophes of CSV that was exported with this option.")
    .option(
      "--existing <what>",
      "What becomes of rows with the same keys: replace (default) or keep.",
      existing,
    )
    .option(
      "--skip-bad",
      "Leaves out lines that are no rows, and says which, in place of stopping at the first.",
    )
    .with(limits("transactions sent at once"))
    .option("--dry-run", "Checks every line, and writes nothing to the storage.")
    .notes(
      "An import that was stopped is begun again with the same file: rows that were written are written once more.",
      "The exit code is 1 where rows were refused or lines left out, 2 for a wrong call, and 130 when it was stopped.",
    )
    .does(async (args, options) => (await import("../data/import.ts")).importRows(args, options));
}
