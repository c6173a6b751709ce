import type { CommandLine } from "../command-line.ts";
import type { ReleaseCheckOptions } from "../release/release-check.ts";
import { wholeNumber } from "../session/option-values.ts";

export function releaseCheck(program: CommandLine): void {
  program
    .command("release-check")
    .summary("Finds what two releases of a model lose of each other.")
    .description(
      "Lets the models of two releases read and write the same rows in memory, and prints what each sees of the other. For each loss it prints the shortest history.",
    )
    .argument(
      "<old>",
      "The compiled module of the release that is running, or what snapshot-model printed of it.",
    )
    .argument("<new.js>", "The compiled module of the release that you want to roll out.")
    .option("--json", "Prints JSON, for programs.")
    .option("--seed <n>", "Decides values and orders, 1 by default.", wholeNumber("--seed"))
    .option("--histories <n>", "Random histories, 300 by default.", wholeNumber("--histories"))
    .option(
      "--values <file.json>",
      'Values that properties have: { "Item": { "price": ["12.50"] } }, for types that say too little.',
    )
    .notes(
      "A snapshot has no functions: steps of upgrades and converters are tried only between two modules.",
      "Both modules may export the same names. No storage is needed, and values are made up.",
      "The exit code is 1 when something is lost, and 0 when nothing is.",
    )
    .does(async (args, options: ReleaseCheckOptions) =>
      (await import("../release/release-check.ts")).releaseCheck(args, options),
    );
}
