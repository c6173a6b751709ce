import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function get(program: CommandLine): void {
  storageFirst(program.command("get"))
    .summary("Print one row.")
    .description("Print the row with these two keys, with its types, its Timestamp and its ETag.")
    .argument("<table>", "The name of a table.")
    .argument("<PartitionKey>")
    .argument("<RowKey>")
    .option("--json", "Print JSON in a terminal too.")
    .examples("partita get file:places.db Places IS Country")
    .notes("If a key starts with -, write -- before the keys.", exitCodes)
    .does(async (args, options) => (await import("../data/one-row.ts")).get(args, options));
}
