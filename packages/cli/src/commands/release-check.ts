import type { CommandLine } from "../command-line.ts";
import type { ReleaseCheckOptions } from "../release/release-check.ts";
import { wholeNumber } from "../session/option-values.ts";

export function releaseCheck(program: CommandLine): void {
  program
    .command("release-check")
    .summary("Check whether two releases can run together.")
    .description(
      "Let the models of two releases read and write the same rows in memory, and print the data that each loses or cannot read. For each loss, print the shortest history.",
    )
    .argument("<old>", "The compiled module of the running release, or the output of snapshot-model for it.")
    .argument("<new.js>", "The compiled module of the release that you want to deploy.")
    .option("--json", "Print JSON, for programs.")
    .option("--seed <n>", "Seed of values and orders. Default 1.", wholeNumber("--seed"))
    .option("--histories <n>", "Number of random histories. Default 300.", wholeNumber("--histories"))
    .option(
      "--values <file.json>",
      'Sample values: { "Item": { "price": ["12.50"] } }, for properties with a type that is too general.',
    )
    .examples("partita release-check old.json places.ts")
    .notes(
      "A snapshot contains no functions. To test upgrade steps and converters, compare two modules.",
      "Both modules may export the same names. No storage is needed, and all values are generated.",
      "The exit code is 1 if something is lost, otherwise 0.",
    )
    .does(async (args, options: ReleaseCheckOptions) =>
      (await import("../release/release-check.ts")).releaseCheck(args, options),
    );
}
