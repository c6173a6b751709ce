import type { CommandLine } from "../command-line.ts";
import { existing, exitCodes, limits, storageFirst } from "./shared.ts";

export function restore(program: CommandLine): void {
  storageFirst(program.command("restore"))
    .summary("Brings back the tables of a backup.")
    .description(
      "Writes the tables of a backup into a storage. All of the file is checked first: one that is damaged or cut is refused, and nothing is written.",
    )
    .argument("<file>", "A file of partita backup.")
    .option(
      "--existing <what>",
      "Writes into tables that have rows: replace or keep those with the same keys.",
      existing,
    )
    .with(limits("transactions sent at once"))
    .option("--dry-run", "Checks the file and says what it has.")
    .notes(
      "Tables that have rows are refused without --existing, before anything is written. A restore that was stopped is called",
      "again with --existing replace.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../backup/restore.ts")).restore(args, options));
}
