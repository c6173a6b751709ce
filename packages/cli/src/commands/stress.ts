import type { CommandLine } from "../command-line.ts";
import { numberAboveZero } from "../session/option-values.ts";
import type { StressOptions } from "../stress/stress.ts";

export function stress(program: CommandLine): void {
  program
    .command("stress")
    .summary("Finds the rate that one partition sustains.")
    .description(
      "Puts one partition under load, in steps of more and more entities a second, and finds the largest rate it sustains.",
    )
    .argument("<module.js>", "A compiled module that exports defineStress(Class, { partition, load }).")
    .requiredOption(
      "--storage <storage>",
      "What is measured: a file, memory or an emulator measures this machine.",
    )
    .option("--seconds <n>", "In all, 60 by default.", numberAboveZero("--seconds"))
    .option("--from <n>", "Entities a second of the first step, 100 by default.", numberAboveZero("--from"))
    .option("--to <n>", "Entities a second of the last step, 4000 by default.", numberAboveZero("--to"))
    .option("--target <n>", "Entities a second that are to be sustained.", numberAboveZero("--target"))
    .option("--svg <file>", "Writes the plot.")
    .option("--json <file>", "Writes the figures.")
    .notes(
      "Options go before what the definition says. Where there are several tests, each file's name ends with the test's.",
      "Tables are the test's own, and are removed.",
      "The exit code is 1 when a target is missed, and 130 when it was stopped.",
    )
    .does(async (args, options: StressOptions) =>
      (await import("../stress/stress.ts")).stress(args, options),
    );
}
