import type { CommandLine } from "../command-line.ts";
import { oneOf } from "../session/option-values.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function put(program: CommandLine): void {
  storageFirst(program.command("put"))
    .summary("Write one row.")
    .description("Write one row given as JSON, and print its new ETag.")
    .argument("<table>", "The name of an existing table.")
    .argument("<json>", "The row, or - for standard input.")
    .option(
      "--mode <mode>",
      "insert (default), merge or replace.",
      oneOf("--mode", "insert", "merge", "replace"),
    )
    .option(
      "--etag <etag>",
      "With merge and replace: write only if the row still has this ETag. With *, write any existing version.",
    )
    .option("--dry-run", "Check the row, and write nothing.")
    .examples(
      `partita put file:places.db Places '{"PartitionKey":"IS","RowKey":"City_9999999999_000000001","Kind":"City","name":"Vik"}'`,
    )
    .notes(
      "The row has a form that partita get, query and export print. In JSON, annotate types that JSON lacks:",
      '    {"PartitionKey":"a","RowKey":"1","Count":"5","Count@odata.type":"Edm.Int64"}',
      "insert is refused if the row exists. merge keeps unnamed properties, replace drops them. Without --etag, both insert the",
      "row if it does not exist.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/one-row.ts")).put(args, options));
}
