import type { CommandLine } from "../command-line.ts";
import { numberAboveZero } from "../session/option-values.ts";
import type { StressOptions } from "../stress/stress.ts";

export function stress(program: CommandLine): void {
  program
    .command("stress")
    .summary("Find the rate that one partition sustains.")
    .description(
      "Load one partition with more and more entities a second, in steps, and find the highest rate it sustains.",
    )
    .argument("<module.js>", "A compiled module that exports defineStress(Class, { partition, load }).")
    .requiredOption(
      "--storage <storage>",
      "The storage to measure. With a file, memory or an emulator, you measure this machine.",
    )
    .option("--seconds <n>", "Total duration. Default 60 seconds.", numberAboveZero("--seconds"))
    .option("--from <n>", "Entities a second of the first step. Default 100.", numberAboveZero("--from"))
    .option("--to <n>", "Entities a second of the last step. Default 4000.", numberAboveZero("--to"))
    .option(
      "--target <n>",
      "Entities a second that the partition should sustain.",
      numberAboveZero("--target"),
    )
    .option("--svg <file>", "Write the plot.")
    .option("--json <file>", "Write the figures.")
    .examples("partita stress stress.js --storage memory: --seconds 2 --to 200")
    .notes(
      "Options take precedence over the definition. If there are several tests, each file name ends with the name of the test.",
      "The tests use their own tables and delete them.",
      "The exit code is 1 if a target is missed, and 130 if it was stopped.",
    )
    .does(async (args, options: StressOptions) =>
      (await import("../stress/stress.ts")).stress(args, options),
    );
}
