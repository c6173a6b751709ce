import type { CommandLine } from "../command-line.ts";
import { exitCodes, format, storageFirst } from "./shared.ts";

export function exportCommand(program: CommandLine): void {
  storageFirst(program.command("export"))
    .summary("Writes the rows of a table to a file.")
    .description(
      "Writes the rows of a table as lines of JSON or as CSV, with keys, values and EDM types exactly.",
    )
    .argument("<table>", "The name of a table.")
    .option("-o, --output <file>", "The file to write; standard output by default.")
    .option(
      "--format <format>",
      "jsonl or csv; by default what the file's name ends with, and else jsonl.",
      format,
    )
    .option("--filter <odata>", "Only what matches: \"PartitionKey eq 'a' and Rating gt 3\".")
    .option("--select <names>", "Only these properties beside the keys, with commas between them.")
    .option("--timestamps", "With Timestamps, as CSV has them without it.")
    .option("--no-timestamps", "Without Timestamps.")
    .option(
      "--escape-formulas",
      "Puts an apostrophe before text in CSV that a spreadsheet would run: what begins with =, +, - or @.",
    )
    .option("--force", "Replaces a file that is there.")
    .notes(
      "A file is there as a whole or not at all. Spreadsheets change CSV that they open: take jsonl to keep rows.",
      "A cell that begins with =, +, - or @ is a formula for a spreadsheet: use --escape-formulas where you don't trust every writer. partita import --escape-formulas takes the apostrophes away again.",
      "Waiting messages of an outbox and markers of transactions are left out, and counted: they mean nothing in another place.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/export.ts")).exportRows(args, options));
}
