import type { CommandLine } from "../command-line.ts";
import { exitCodes, filtered, filteredNotes, hasFilter, storageFirst } from "./shared.ts";

export function rm(program: CommandLine): void {
  const isLeftOut = (given: readonly string[], args: readonly string[]): boolean =>
    given.length === (hasFilter(args) ? 1 : 3);
  storageFirst(program.command("rm"), isLeftOut)
    .summary("Delete one row, or the rows of a filter.")
    .description(
      "Delete the row with two keys: the version given by --etag, or any version with --force. With --filter, delete all rows that match.",
    )
    .argument("<table>", "The name of a table.")
    .argument("[PartitionKey]")
    .argument("[RowKey]")
    .option("--etag <etag>", "Delete only this version. partita get prints the ETag.")
    .option("--force", "Delete any version of the row.")
    .with(filtered)
    .examples(
      `partita rm file:places.db Places --filter "PartitionKey eq 'IS'" --dry-run`,
      "partita rm file:places.db Places IS Country --force",
    )
    .notes("If a key starts with -, write -- before the keys.", ...filteredNotes, exitCodes)
    .does(async (args, options) => (await import("../data/remove-rows.ts")).rm(args, options));
}
