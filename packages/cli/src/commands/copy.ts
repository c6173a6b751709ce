import type { CommandLine } from "../command-line.ts";
import { wholeNumber } from "../session/option-values.ts";
import { existing, limits, storageHelp } from "./shared.ts";

export function copy(program: CommandLine): void {
  program
    .command("copy")
    .summary("Copies tables from storage to storage.")
    .description(
      "Copies tables from one storage to another, with keys, values and EDM types exactly. It may be stopped at any time, killed too, and goes on where it was when it is called again; several may run at once.",
    )
    .argument("<from>", storageHelp)
    .argument("<to>", "The same.")
    .argument("[tables...]", "Names of tables.")
    .option("--all", "Copies all tables.")
    .option("--as <table>", "The name of one table in the target.")
    .option(
      "--existing <what>",
      "What becomes of rows with the same keys: replace (default) or keep.",
      existing,
    )
    .option("--verify", "Compares each table with its copy afterwards.")
    .with(limits("pages worked at together"))
    .option(
      "--claim-timeout <seconds>",
      "After how long the pages of a killed copy are taken over, 15 by default.",
      wholeNumber("--claim-timeout"),
    )
    .option("--dry-run", "Counts what would be copied, and writes nothing.")
    .notes(
      "The copy of a table keeps its progress in the table PartitaJobs of the target; nothing is written to the source. A table",
      "that was copied as a whole is copied again by another call: each is printed when it is done.",
      "The states of indexes are not copied: build them in the target. Waiting messages of an outbox and markers of transactions are left out, and counted, unless --all copies the queues' tables, too.",
      "The exit code is 1 where rows were refused or differ, 2 for a wrong call, and 130 when it was stopped.",
    )
    .does(async (args, options) => (await import("../data/copy.ts")).copy(args, options));
}
