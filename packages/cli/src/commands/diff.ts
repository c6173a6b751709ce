import type { CommandLine } from "../command-line.ts";
import { exitCodes, moduleHelp, storageHelp } from "./shared.ts";

export function diff(program: CommandLine): void {
  program
    .command("diff")
    .summary("Compares classes with the rows that are stored.")
    .description(
      "Reads every row of the module's tables by its classes, and prints what differs: rows of no class, keys of another form, types, missing values, and stored properties that no class declares.",
    )
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .option("--json", "Prints a line of JSON for each difference.")
    .notes(
      "Rows of older versions are read as their upgrades make them. Keys are printed, values of properties are not.",
      "Of a row that cannot be read, the first difference is shown: run it again once that one is mended.",
      `${exitCodes} It is 1, too, where something differs.`,
    )
    .does(async (args, options) => (await import("../diff/diff.ts")).diff(args, options));
}
