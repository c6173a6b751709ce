import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function count(program: CommandLine): void {
  storageFirst(program.command("count"))
    .summary("Count the rows of a table.")
    .description(
      "Count the rows of a table, or those that match a filter. This reads all keys, because no storage counts rows. A filter that compares PartitionKey reads fewer.",
    )
    .argument("<table>", "The name of a table.")
    .option("--filter <odata>", "Count only rows that match: \"PartitionKey eq 'a' and Rating gt 3\".")
    .examples(`partita count file:places.db Places --filter "PartitionKey eq 'JP'"`)
    .notes(exitCodes)
    .does(async (args, options) => (await import("../data/list-tables.ts")).count(args, options));
}
