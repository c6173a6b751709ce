import type { CommandLine } from "../command-line.ts";
import { oneOf, wholeNumber } from "../session/option-values.ts";
import { storageHelp } from "./shared.ts";

export function generate(program: CommandLine): void {
  program
    .command("generate")
    .summary("Makes classes of tables that exist.")
    .description(
      "Reads rows and prints a TypeScript module with classes for them: what kinds differ in, what keys are made of, types, and what may be absent. The classes then read the rows that they were made of, as a proof.",
    )
    .argument("<storage>", storageHelp)
    .argument("[tables...]", "All tables where none is named, except those that Partita keeps for itself.")
    .option(
      "--form <form>",
      "define-entity (the default) or decorators.",
      oneOf("--form", "define-entity", "decorators"),
    )
    .option(
      "--rows <n>",
      "The rows of each table that are read, from its first; 20000 by default.",
      wholeNumber("--rows"),
    )
    .option("-o, --output <file>", "The file to write; standard output by default.")
    .option("--force", "Replaces the file.")
    .notes(
      "What was guessed and why is printed beside it, and stands in the code as comments: names, above all, are yours to choose.",
      "Values of properties are never printed. The exit code is 1 when the classes do not read all of the rows, and 130 when it",
      "was stopped.",
    )
    .does(async (args, options) => (await import("../generate/generate.ts")).generate(args, options));
}
