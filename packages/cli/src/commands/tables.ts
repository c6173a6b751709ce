import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function tables(program: CommandLine): void {
  storageFirst(program.command("tables"))
    .summary("Lists the tables of a storage.")
    .description("Lists the tables of a storage, one name a line.")
    .option("--count", "Counts the rows of each: all keys are read, since no store counts them.")
    .option("--json", "Prints a line of JSON for each, as with --count where no terminal reads it.")
    .notes(exitCodes)
    .does(async (args, options) => (await import("../data/list-tables.ts")).listTables(args, options));
}
