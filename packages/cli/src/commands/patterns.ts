import type { CommandLine } from "../command-line.ts";

export function patterns(program: CommandLine): void {
  program
    .command("patterns")
    .summary("Plan and rate access patterns.")
    .description(
      "Plan the access patterns that a module exports, with edge values of their parameters and 1,000 samples, and print a rating of each plan.",
    )
    .argument("<module.js>", "A compiled module that exports the result of definePatterns().")
    .option("--json", "Print JSON, for programs.")
    .examples("partita patterns patterns.js")
    .notes(
      "Nothing is sent, and no storage is needed.",
      "The exit code is 1 if a pattern exceeds its bounds. The output shows the values that exceed them.",
    )
    .does(async (args, options) => (await import("../patterns/patterns.ts")).patterns(args, options));
}
