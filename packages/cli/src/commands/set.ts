import type { CommandLine } from "../command-line.ts";
import { exitCodes, filtered, filteredNotes, storageFirst } from "./shared.ts";

export function set(program: CommandLine): void {
  // A table's name has no equals sign, unlike an assignment.
  storageFirst(program.command("set"), ([, second = ""]) => second.includes("="))
    .summary("Set properties of the rows of a filter.")
    .description(
      "Set properties to the same values in all rows that match a filter. Other properties don't change.",
    )
    .argument("<table>", "The name of a table.")
    .argument("<name=value...>", "Assignments: name=value, or name:Int64=5 with a type.")
    .with(filtered)
    .examples(
      `partita set file:places.db Places name=Iceland visited:Boolean=true --filter "PartitionKey eq 'IS'" --dry-run`,
    )
    .notes(
      "Types are String, Int32, Int64, Double, Boolean, DateTime, Guid and Binary (in base64). Without a type, each row keeps the",
      "type that its property has. If a row has no such property, the command is refused before it changes anything.",
      ...filteredNotes,
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/set-values.ts")).set(args, options));
}
