import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function rm(program: CommandLine): void {
  storageFirst(program.command("rm"))
    .summary("Delete one row.")
    .description(
      "Delete the row with these two keys: the version given by --etag, or any version with --force.",
    )
    .argument("<table>", "The name of a table.")
    .argument("<PartitionKey>")
    .argument("<RowKey>")
    .option("--etag <etag>", "Delete only this version. partita get prints the ETag.")
    .option("--force", "Delete any version.")
    .option("--dry-run", "Print whether the row exists, and delete nothing.")
    .notes("If a key starts with -, write -- before the keys.", exitCodes)
    .does(async (args, options) => (await import("../data/one-row.ts")).rm(args, options));
}
