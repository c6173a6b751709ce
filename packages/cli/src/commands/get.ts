import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function get(program: CommandLine): void {
  storageFirst(program.command("get"))
    .summary("Prints one row.")
    .description("Prints the row of two keys with its types, its Timestamp and its ETag.")
    .argument("<table>", "The name of a table.")
    .argument("<PartitionKey>")
    .argument("<RowKey>")
    .option("--json", "Prints a line of JSON on a terminal, too.")
    .notes("Keys that begin with - stand behind --.", exitCodes)
    .does(async (args, options) => (await import("../data/one-row.ts")).get(args, options));
}
