import type { CommandLine } from "../command-line.ts";
import { oneOf } from "../session/option-values.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function put(program: CommandLine): void {
  storageFirst(program.command("put"))
    .summary("Writes one row.")
    .description("Writes one row of JSON, and prints its new ETag.")
    .argument("<table>", "The name of a table, which is there.")
    .argument("<json>", "The row, or - for standard input.")
    .option(
      "--mode <mode>",
      "insert (default), merge or replace.",
      oneOf("--mode", "insert", "merge", "replace"),
    )
    .option(
      "--etag <etag>",
      "With merge and replace: only where the row still has this ETag; * for any, where it is there.",
    )
    .option("--dry-run", "Checks the row, and writes nothing.")
    .notes(
      "The row is JSON as partita export and partita get write it. Types that JSON does not have stand beside the value:",
      '    {"PartitionKey":"a","RowKey":"1","Count":"5","Count@odata.type":"Edm.Int64"}',
      "insert is refused where the row is there. merge keeps properties that are not named, replace drops them; without --etag",
      "both write the row where it is not there, too.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/one-row.ts")).put(args, options));
}
