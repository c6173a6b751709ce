import type { CommandLine } from "../command-line.ts";

export function patterns(program: CommandLine): void {
  program
    .command("patterns")
    .summary("Plans access patterns, and rates them.")
    .description(
      "Plans the access patterns that a module exports, at the corners of their parameters and with 1,000 samples, and prints how good each plan is.",
    )
    .argument("<module.js>", "A compiled module that exports what definePatterns() returns.")
    .option("--json", "Prints JSON, for programs.")
    .notes(
      "Nothing is sent, and no storage is needed.",
      "The exit code is 1 when a pattern does not meet its bounds: the value that shows it is printed.",
    )
    .does(async (args, options) => (await import("../patterns/patterns.ts")).patterns(args, options));
}
