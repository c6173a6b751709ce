import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function backup(program: CommandLine): void {
  storageFirst(program.command("backup"))
    .summary("Writes a whole storage into one file.")
    .description(
      "Writes all tables of a storage into one file with a checksum, from which partita restore brings them back.",
    )
    .argument("<file>", "The file, or - for standard output.")
    .option("--force", "Replaces a file that is there.")
    .notes(
      "The file is there as a whole or not at all. Rows that are written meanwhile may be in it or not. The tables PartitaJobs, which",
      "has the progress of jobs, and PartitaSchema, which has the states of indexes, are left out: build indexes where you restore. The",
      "file has all values, and no keys of the account.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../backup/backup.ts")).backup(args, options));
}
