import type { CommandLine } from "../command-line.ts";
import { wholeNumber } from "../session/option-values.ts";
import { existing, limits, storageHelp } from "./shared.ts";

export function copy(program: CommandLine): void {
  program
    .command("copy")
    .summary("Copy tables to another storage.")
    .description(
      "Copy tables from one storage to another, with exact keys, values and EDM types. You can stop a copy, or kill it, and run it again: it continues where it stopped. Several copies can run at the same time.",
    )
    .argument("<from>", storageHelp)
    .argument("<to>", "The same.")
    .argument("[tables...]", "Names of tables.")
    .option("--all", "Copy all tables.")
    .option("--as <table>", "Name of the table in the target. Copies one table only.")
    .with(existing)
    .option("--verify", "Compare each table with its copy afterwards.")
    .with(limits("pages copied concurrently"))
    .option(
      "--claim-timeout <seconds>",
      "Seconds until another process takes over the pages of a killed copy. Default 15.",
      wholeNumber("--claim-timeout"),
    )
    .option("--dry-run", "Count the rows to copy, and write nothing.")
    .examples("partita copy file:places.db file:copy.db Places --verify")
    .notes(
      "The copy of a table records its progress in the table PartitaJobs of the target. Nothing is written to the source. If",
      "a table of the target has rows of its own or of a complete copy, nothing is written, unless you choose another --existing.",
      "The states of indexes are not copied. Build the indexes in the target. Waiting messages of an outbox and markers of",
      "transactions are left out and counted, unless --all also copies the tables of the queues.",
      "The exit code is 1 if rows were refused or differ, 2 for a usage error, and 130 if it was stopped.",
    )
    .does(async (args, options) => (await import("../data/copy.ts")).copy(args, options));
}
