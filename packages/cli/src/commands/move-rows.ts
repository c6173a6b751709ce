import type { CommandLine } from "../command-line.ts";
import { limits, moduleHelp, storageHelp } from "./shared.ts";

export function moveRows(program: CommandLine): void {
  program
    .command("move-rows")
    .summary("Moves the rows of a class to other keys.")
    .description(
      "Moves the rows of a class to the keys of another class, in the same table or in another one. Programs can read and write meanwhile if their class has formerKeys. You can stop it and call it again; several can run at the same time.",
    )
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .option("--from <class>", "The exported class with the former keys.")
    .option("--to <class>", "The exported class with the new keys.")
    .option("--key <function>", "An exported function that returns the new key of an entity.")
    .option("--dry-run", "Counts the rows and writes nothing.")
    .with(limits("pages worked at together"))
    .notes("The exit code is 1 when rows are left under their former keys, and 130 when it was stopped.")
    .does(async (args, options) => (await import("../tables/move-rows.ts")).moveRows(args, options));
}
