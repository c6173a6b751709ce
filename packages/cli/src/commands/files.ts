import type { CommandLine } from "../command-line.ts";
import type { VerbName } from "../files/session.ts";
import { wholeNumber } from "../session/option-values.ts";
import { UsageError } from "../session/usage-error.ts";
import { storageHelp } from "./shared.ts";

const local = "A local file or folder, or - for standard input and output.";
const version = ["--version <n>", "An older version.", wholeNumber("--version")] as const;

export function files(program: CommandLine): void {
  const group = program
    .command("files")
    .summary("Lists, stores, reads and removes stored files.")
    .description("Lists, stores, reads, follows and removes the files that @partita/files keeps in tables.")
    .usage("<storage> <verb> [arguments and options]")
    .notes(
      "<storage> is file:path.db or a connection string; it may stand before or behind the verb. --name is the name that the",
      "tables begin with: Partita when absent. partita files put --help says more of one verb.",
      "The exit code is 1 when something is not there or fails, and 130 when it was stopped.",
    );
  verb(group, "ls", "Lists files: a table on a terminal, one path a line elsewhere.")
    .argument("[prefix]", "How their paths begin.")
    .option("-l, --long", "Adds lengths and types: each file's blocks are counted.")
    .option("--versions", "Lists all versions, and those of a path that was deleted.")
    .option("--json", "Prints a line of JSON for each.");
  verb(
    group,
    "put",
    "Stores a file, seen when all of it is stored; the files of a folder; or standard input.",
  )
    .argument("<local>", local)
    .argument("<path>", "Where it is stored: below it where it ends with /.")
    .option("--type <media/type>", "The media type.")
    .notes("Only put makes a new file:….");
  verb(group, "get", "Reads a file or a folder.")
    .argument("<path>", "Of a file; of a folder with -r, or where it ends with /.")
    .argument("<local>", local)
    .option("-r, --recursive", "All files below a folder.")
    .option("--force", "Replaces what is there. Else it is left alone, and the exit code is 1.")
    .option(...version);
  verb(group, "cat", "Prints a file.")
    .argument("<path>")
    .option(...version);
  verb(group, "tail", "Prints the last blocks of a file: as many writes as they were appended by.")
    .argument("<path>")
    .option("-f, --follow", "Goes on with what is appended, until the file is deleted or replaced.")
    .option("-n, --blocks <n>", "How many, 10 by default.", wholeNumber("-n", 0));
  verb(group, "rm", "Removes a file. Deleted versions can be read until a program reclaims them.")
    .argument("<path>")
    .option("-r, --recursive", "All files below a folder, and the file that has its path.")
    .option("--dry-run", "Prints which.");
  verb(group, "stat", "Says what is known of a file.")
    .argument("<path>")
    .option(...version)
    .option("--json", "Prints JSON.");
  verb(group, "mv", "Moves a file to another path.").argument("<path>").argument("<new path>");
  verb(group, "cp", "Copies a file to another path.").argument("<path>").argument("<new path>");
  group.arrange = (args) => verbFirst(group, args);
}

const verb = (group: CommandLine, name: VerbName, description: string): CommandLine =>
  group
    .command(name)
    .description(description)
    .argument("<storage>", storageHelp)
    .option("--name <name>", "What the tables' names begin with: Partita by default.")
    .does(async (args, options) => (await import("../files/files.ts")).files(name, args, options));

/** The storage is written before the verb, and parsed behind it. */
function verbFirst(group: CommandLine, args: readonly string[]): readonly string[] {
  const isVerb = (text: string | undefined): boolean => group.commands.some((each) => each.name() === text);
  const [first, second] = group.placesOf(args);
  const asksForHelp = args.some((arg) => arg === "-h" || arg === "--help");
  if (first !== undefined && !asksForHelp && !isVerb(args[first]) && !isVerb(args[second ?? -1]))
    throw new UsageError(
      `partita files takes a storage and one of ${group.commands.map((each) => each.name()).join(", ")}, as in partita files file:tables.db ls. See partita files --help.`,
    );
  if (first === undefined || second === undefined || isVerb(args[first]) || !isVerb(args[second]))
    return args;
  return [args[second] ?? "", ...args.slice(0, second), ...args.slice(second + 1)];
}
