import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function createTable(program: CommandLine): void {
  storageFirst(program.command("create-table"))
    .summary("Create a table.")
    .description("Create an empty table. If the storage is a file that doesn't exist, it is created too.")
    .argument("<table>", "3 to 63 letters and digits, beginning with a letter.")
    .option("--if-missing", "Succeed if the table exists already.")
    .examples("partita create-table file:places.db Visits")
    .notes(exitCodes)
    .does(async (args, options) => (await import("../data/change-tables.ts")).createTable(args, options));
}
