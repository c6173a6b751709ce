import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function tables(program: CommandLine): void {
  storageFirst(program.command("tables"))
    .summary("List the tables of a storage.")
    .description("List the tables of a storage, one name per line.")
    .option("--count", "Count the rows of each table. This reads all keys, because no storage counts rows.")
    .option(
      "--json",
      "Print a line of JSON for each table. With --count, this is the default outside a terminal.",
    )
    .examples("partita tables file:places.db --count")
    .notes(exitCodes)
    .does(async (args, options) => (await import("../data/list-tables.ts")).listTables(args, options));
}
