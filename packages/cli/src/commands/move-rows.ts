import type { CommandLine } from "../command-line.ts";
import { limits, moduleHelp, storageHelp } from "./shared.ts";

export function moveRows(program: CommandLine): void {
  program
    .command("move-rows")
    .summary("Move the rows of a class to other keys.")
    .description(
      "Move the rows of a class to the keys of another class, in the same table or in another table. Programs can read and write meanwhile if their class has formerKeys. You can stop the command and run it again. Several can run at the same time.",
    )
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .option("--from <class>", "The exported class with the former keys.")
    .option("--to <class>", "The exported class with the new keys.")
    .option("--key <function>", "An exported function that returns the new key of an entity.")
    .option("--dry-run", "Count the rows and write nothing.")
    .with(limits("pages worked on concurrently"))
    .examples("partita move-rows moves.js file:places.db --from Place --to WidePlace --dry-run")
    .notes("The exit code is 1 if rows are left under their former keys, and 130 if it was stopped.")
    .does(async (args, options) => (await import("../tables/move-rows.ts")).moveRows(args, options));
}
