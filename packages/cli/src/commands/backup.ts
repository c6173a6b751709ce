import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function backup(program: CommandLine): void {
  storageFirst(program.command("backup"))
    .summary("Write a backup of a storage to one file.")
    .description("Write all tables of a storage to one file with a checksum. Use partita restore to read it.")
    .argument("<file>", "The file, or - for standard output.")
    .option("--force", "Replace an existing file.")
    .examples("partita backup file:places.db new.backup")
    .notes(
      "The file appears only once it is complete. Rows written during the backup may be in it or not. It leaves out the tables",
      "PartitaJobs (the progress of jobs) and PartitaSchema (the states of indexes). Build indexes again after a restore. The",
      "file contains all values, but no account keys.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../backup/backup.ts")).backup(args, options));
}
