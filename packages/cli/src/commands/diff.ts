import type { CommandLine } from "../command-line.ts";
import { exitCodes, moduleHelp, storageHelp } from "./shared.ts";

export function diff(program: CommandLine): void {
  program
    .command("diff")
    .summary("Compare classes with stored rows.")
    .description(
      "Read every row of the module's tables with its classes, and print the differences: rows without a class, keys in another format, types, missing values, and stored properties that no class declares.",
    )
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .option("--json", "Print each difference as a line of JSON.")
    .examples("partita diff places.ts file:places.db")
    .notes(
      "Rows of older versions are upgraded before the comparison. Keys are printed; property values are not.",
      "For a row that cannot be read, only the first difference is printed. Fix it and run the command again.",
      `${exitCodes} It is also 1 if something differs.`,
    )
    .does(async (args, options) => (await import("../diff/diff.ts")).diff(args, options));
}
