import type { CommandLine } from "../command-line.ts";
import { oneOf, wholeNumber } from "../session/option-values.ts";
import { storageVariable } from "../storage/storage-target.ts";

/** Help texts of arguments that several commands have. */
export const storageHelp =
  "file:path.db, postgres://user@host/database, a connection string, the https URL of an account, env:NAME, or a name of partita.config.json.";
export const moduleHelp = "A compiled module that exports entity classes.";

/**
 * Adds the storage as the first argument. If PARTITA_STORAGE is set, the storage may be left out, so the
 * other arguments must have a fixed number.
 */
export function storageFirst(command: CommandLine): CommandLine {
  command.argument("<storage>", `${storageHelp} Optional if ${storageVariable} is set.`);
  command.arrange = (args) => {
    const isLeftOut = command.placesOf(args).length === command.registeredArguments.length - 1;
    const { [storageVariable]: target = "" } = process.env;
    return isLeftOut && target !== "" ? [`env:${storageVariable}`, ...args] : args;
  };
  return command;
}

/** Limits for commands that process many rows. */
export interface Limits {
  readonly rate?: number;
  readonly concurrency?: number;
}

/**
 * The options of `Limits`.
 *
 * @param together - the units that `--concurrency` counts; at most 1000 to limit memory
 */
export const limits =
  (together: string) =>
  (command: CommandLine): CommandLine =>
    command
      .option("--rate <n>", "Maximum rows per second.", wholeNumber("--rate"))
      .option("--concurrency <n>", `Maximum ${together}. Default 4.`, wholeNumber("--concurrency", 1, 1000));

/** The option `--existing`, which means the same in every command that has it. */
export const existing = (command: CommandLine): CommandLine =>
  command.option(
    "--existing <what>",
    "If tables have rows: refuse (default), or for rows with the same keys replace, merge or skip.",
    oneOf("--existing", "refuse", "replace", "merge", "skip"),
  );

/** The values of `--format`. */
export const format: (text: string) => "jsonl" | "csv" = oneOf("--format", "jsonl", "csv");

/** The exit codes of commands that can be stopped. */
export const exitCodes =
  "The exit code is 0 on success, 1 on failure, 2 for a usage error, and 130 if it was stopped.";
