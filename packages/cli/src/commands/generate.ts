import type { CommandLine } from "../command-line.ts";
import { oneOf, wholeNumber } from "../session/option-values.ts";
import { storageHelp } from "./shared.ts";

export function generate(program: CommandLine): void {
  program
    .command("generate")
    .summary("Generate classes for existing tables.")
    .description(
      "Read rows and print a TypeScript module with classes for them: discriminators, keys, types and optional properties. To check the classes, the command then reads the same rows with them.",
    )
    .argument("<storage>", storageHelp)
    .argument(
      "[tables...]",
      "Names of tables. Default: all tables except those that Partita creates for itself.",
    )
    .option(
      "--form <form>",
      "define-entity (default) or decorators.",
      oneOf("--form", "define-entity", "decorators"),
    )
    .option("--rows <n>", "Rows to read of each table, from its first. Default 20000.", wholeNumber("--rows"))
    .option("-o, --output <file>", "The file to write. Default: standard output.")
    .option("--force", "Replace an existing file.")
    .examples("partita generate file:places.db Places -o generated.ts")
    .notes(
      "Guesses and their reasons are printed, and written into the code as comments. Choose better names where you know them.",
      "Property values are never printed. The exit code is 1 if the classes do not read all of the rows, and 130 if it was",
      "stopped.",
    )
    .does(async (args, options) => (await import("../generate/generate.ts")).generate(args, options));
}
