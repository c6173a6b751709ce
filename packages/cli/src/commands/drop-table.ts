import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function dropTable(program: CommandLine): void {
  storageFirst(program.command("drop-table"))
    .summary("Delete a table with all its rows.")
    .description(
      "Delete a table with all its rows. In a terminal, the command asks you to type the name of the table; elsewhere it needs --yes.",
    )
    .argument("<table>", "The name of a table.")
    .option("--yes", "Don't ask.")
    .examples("partita drop-table file:places.db Places --yes")
    .notes("This cannot be undone. Write a backup first: partita backup.", exitCodes)
    .does(async (args, options) => (await import("../data/change-tables.ts")).dropTable(args, options));
}
