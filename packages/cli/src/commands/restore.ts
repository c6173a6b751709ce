import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

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
    )
    .option("--rate <n>", "The most rows a second.")
    .option("--concurrency <n>", "The transactions sent at once, 4 by default.")
    .option("--dry-run", "Checks the file and says what it has.")
    .notes(
      "Tables that have rows are refused without --existing, before anything is written. A restore that was stopped is called",
      "again with --existing replace.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../backup/restore.ts")).restore(args, options));
}
