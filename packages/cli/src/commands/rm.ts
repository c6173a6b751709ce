import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function rm(program: CommandLine): void {
  storageFirst(program.command("rm"))
    .summary("Removes one row.")
    .description("Removes the row of two keys: the version that --etag names, or any with --force.")
    .argument("<table>", "The name of a table.")
    .argument("<PartitionKey>")
    .argument("<RowKey>")
    .option("--etag <etag>", "Removes only the version that partita get has printed.")
    .option("--force", "Removes any version.")
    .option("--dry-run", "Says whether the row is there, and removes nothing.")
    .notes("Keys that begin with - stand behind --.", exitCodes)
    .does(async (args, options) => (await import("../data/one-row.ts")).rm(args, options));
}
