import type { CommandLine } from "../command-line.ts";
import { names } from "../session/option-values.ts";
import { exitCodes, format, storageFirst } from "./shared.ts";

export function exportCommand(program: CommandLine): void {
  storageFirst(program.command("export"))
    .summary("Write the rows of a table to a file.")
    .description(
      "Write the rows of a table as lines of JSON or as CSV, with exact keys, values and EDM types. It reads the complete table, unless the filter compares PartitionKey.",
    )
    .argument("<table>", "The name of a table.")
    .option("-o, --output <file>", "The file to write. Default: standard output.")
    .option(
      "--format <format>",
      "jsonl or csv. Default: the extension of the file, and jsonl without one.",
      format,
    )
    .option("--filter <odata>", "Export only rows that match: \"PartitionKey eq 'a' and Rating gt 3\".")
    .option(
      "--select <names>",
      "Export the keys and only these properties, separated by commas.",
      names("--select"),
    )
    .option("--timestamps", "Include Timestamps. CSV always includes them.")
    .option("--no-timestamps", "Without Timestamps.")
    .option(
      "--escape-formulas",
      "In CSV, put an apostrophe before text that a spreadsheet would run: text that starts with =, +, - or @.",
    )
    .option("--force", "Replace an existing file.")
    .examples(`partita export file:places.db Places --filter "PartitionKey eq 'JP'" -o exported.csv`)
    .notes(
      "The file appears only once it is complete. Spreadsheets change CSV files that they open: use jsonl to keep exact rows.",
      "A spreadsheet runs a cell that starts with =, +, - or @ as a formula. If you don't trust every writer, use",
      "--escape-formulas. partita import --escape-formulas removes the apostrophes again.",
      "Waiting messages of an outbox and markers of transactions are left out and counted. They mean nothing in another storage.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/export.ts")).exportRows(args, options));
}
