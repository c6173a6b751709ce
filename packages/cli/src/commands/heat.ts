import type { CommandLine } from "../command-line.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function heat(program: CommandLine): void {
  storageFirst(program.command("heat"))
    .summary("Show the sizes of a table's partitions.")
    .description(
      "Count the rows of each partition of a table, and show the largest partitions. This reads the keys of all rows.",
    )
    .argument("<table>", "The name of a table.")
    .option("--json", "Print JSON, for programs. It also has the times of the last writes.")
    .examples("partita heat file:places.db Places")
    .notes(exitCodes)
    .does(async (args, options) => (await import("../heat/heat.ts")).heat(args, options));
}
