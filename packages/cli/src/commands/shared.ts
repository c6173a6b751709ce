import type { CommandLine } from "../command-line.ts";
import { oneOf, wholeNumber } from "../session/option-values.ts";
import { storageVariable } from "../storage/storage-target.ts";

/** What help says of arguments that several commands take. */
export const storageHelp =
  "file:path.db, a connection string, the https URL of an account, env:NAME, or a name of partita.config.json.";
export const moduleHelp = "A compiled module that exports entity classes.";

/** Takes a storage first, which may be left out where PARTITA_STORAGE is set, and then always the same arguments. */
export function storageFirst(command: CommandLine): CommandLine {
  command.argument("<storage>", `${storageHelp} May be left out where ${storageVariable} is set.`);
  command.arrange = (args) => {
    const isLeftOut = command.placesOf(args).length === command.registeredArguments.length - 1;
    const { [storageVariable]: target = "" } = process.env;
    return isLeftOut && target !== "" ? [`env:${storageVariable}`, ...args] : args;
  };
  return command;
}

/** Limits of work on many rows. */
export interface Limits {
  readonly rate?: number;
  readonly concurrency?: number;
}

/** The options of `Limits`. @param together - what the concurrency counts; more than 1000 would take all memory */
export const limits =
  (together: string) =>
  (command: CommandLine): CommandLine =>
    command
      .option("--rate <n>", "The most rows a second.", wholeNumber("--rate"))
      .option("--concurrency <n>", `The ${together}, 4 by default.`, wholeNumber("--concurrency", 1, 1000));

/** The values of `--existing` and `--format`. */
export const existing: (text: string) => "replace" | "keep" = oneOf("--existing", "replace", "keep");
export const format: (text: string) => "jsonl" | "csv" = oneOf("--format", "jsonl", "csv");

/** What the exit codes of commands that can be stopped are. */
export const exitCodes =
  "The exit code is 0 when all went well, 1 when not, 2 for a wrong call, and 130 when it was stopped.";
