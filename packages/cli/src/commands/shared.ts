import type { CommandLine } from "../command-line.ts";
import { oneOf, wholeNumber } from "../session/option-values.ts";
import { storageVariable } from "../storage/storage-target.ts";

/** Help texts of arguments that several commands have. */
export const storageHelp =
  "file:path.db, postgres://user@host/database, a connection string, the https URL of an account, env:NAME, or a name of partita.config.json.";
export const moduleHelp = "A compiled module that exports entity classes.";

/** Whether the first of these arguments is not a storage. `args` also has the options. */
type LeftOut = (given: readonly string[], args: readonly string[]) => boolean;

/**
 * Adds the storage as the first argument. It may be left out if PARTITA_STORAGE is set.
 *
 * @param leftOut - decides that. By default, by the number of the other arguments, which must be fixed
 */
export function storageFirst(command: CommandLine, leftOut?: LeftOut): CommandLine {
  command.argument("<storage>", `${storageHelp} Optional if ${storageVariable} is set.`);
  command.arrange = (args) => {
    const given = command.placesOf(args).map((place) => args[place] as string);
    const isLeftOut = leftOut?.(given, args) ?? given.length === command.registeredArguments.length - 1;
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

/** Options of commands that change the rows of a filter. */
export const filtered = (command: CommandLine): CommandLine =>
  command
    .option("--filter <odata>", "Rows that match: \"PartitionKey eq 'a' and Rating gt 3\".")
    .option("--scan", "Allow a filter that reads the complete table.")
    .option("--dry-run", "Print what would happen, and change nothing.")
    .option("--yes", "Don't ask.");

/** Whether `--filter` is among arguments. */
export const hasFilter = (args: readonly string[]): boolean =>
  args.some((arg) => arg === "--filter" || arg.startsWith("--filter="));

/** Facts about commands that change the rows of a filter. */
export const filteredNotes: readonly string[] = [
  "The plan, its rating and the number of rows are printed first. Then the command asks in a terminal; elsewhere it needs --yes.",
  "A row that another program changes meanwhile is left and printed. Index rows, markers and messages of Partita are left too.",
];

/** The exit codes of commands that can be stopped. */
export const exitCodes =
  "The exit code is 0 on success, 1 on failure, 2 for a usage error, and 130 if it was stopped.";
