import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function count(program: CommandLine): void {
  storageFirst(program.command("count"))
    .summary("Counts the rows of a table.")
    .description(
      "Counts the rows of a table, or those that match a filter. All keys are read, since no store counts them.",
    )
    .argument("<table>", "The name of a table.")
    .option("--filter <odata>", "Counts what matches: \"PartitionKey eq 'a' and Rating gt 3\".")
    .notes(exitCodes)
    .does(async (args, options) => (await import("../data/list-tables.ts")).count(args, options));
}
