import type { CommandLine } from "../command-line.ts";
import type { VerbName } from "../files/session.ts";
import { wholeNumber } from "../session/option-values.ts";
import { UsageError } from "../session/usage-error.ts";
import { storageHelp } from "./shared.ts";

const local = "A local file or folder, or - for standard input and output.";
const version = ["--version <n>", "An older version.", wholeNumber("--version")] as const;

const calls: Readonly<Record<VerbName, string>> = {
  ls: "partita files file:places.db ls /lists",
  put: "partita files file:places.db put japan.csv /lists/copy.csv",
  get: "partita files file:places.db get /lists/japan.csv local.csv",
  cat: "partita files file:places.db cat /lists/japan.csv",
  tail: "partita files file:places.db tail /lists/japan.csv -n 1",
  rm: "partita files file:places.db rm /lists/japan.csv",
  stat: "partita files file:places.db stat /lists/japan.csv",
  mv: "partita files file:places.db mv /lists/japan.csv /old/japan.csv",
  cp: "partita files file:places.db cp /lists/japan.csv /lists/copy.csv",
};

export function files(program: CommandLine): void {
  const group = program
    .command("files")
    .summary("List, store, read and delete stored files.")
    .description("List, store, read, follow and delete the files that @partita/files stores in tables.")
    .usage("<storage> <verb> [arguments and options]")
    .examples(calls.put, calls.ls)
    .notes(
      "<storage> is file:path.db, postgres://user@host/database or a connection string. You can write it before or after the",
      "verb. --name is the prefix of the table names. Default: Partita. For the help of one verb: partita files put --help.",
      "The exit code is 1 if a file is missing or something fails, and 130 if it was stopped.",
    );
  verb(group, "ls", "List files: as a table in a terminal, otherwise one path per line.")
    .argument("[prefix]", "Only paths with this prefix.")
    .option("-l, --long", "Add lengths and types. This counts the blocks of each file.")
    .option("--versions", "List all versions, including those of deleted files.")
    .option("--json", "Print each file as a line of JSON.");
  verb(
    group,
    "put",
    "Store a file, the files of a folder, or standard input. A file becomes visible once it is completely stored.",
  )
    .argument("<local>", local)
    .argument("<path>", "The path to store at. If it ends with /, the file is stored in that folder.")
    .option("--type <media/type>", "The media type.")
    .notes("Only put creates a new file:….");
  verb(group, "get", "Read a file or a folder.")
    .argument("<path>", "Path of a file. With -r, or if it ends with /, path of a folder.")
    .argument("<local>", local)
    .option("-r, --recursive", "Read all files in a folder and its subfolders.")
    .option("--force", "Replace existing files. By default they don't change, and the exit code is 1.")
    .option(...version);
  verb(group, "cat", "Print a file.")
    .argument("<path>")
    .option(...version);
  verb(group, "tail", "Print the last blocks of a file. An append writes one block.")
    .argument("<path>")
    .option("-f, --follow", "Follow what is appended, until the file is deleted or replaced.")
    .option("-n, --blocks <n>", "Number of blocks. Default 10.", wholeNumber("-n", 0));
  verb(group, "rm", "Delete a file. You can read deleted versions until a program reclaims them.")
    .argument("<path>")
    .option("-r, --recursive", "Delete all files in a folder and its subfolders, and the file with its path.")
    .option("--dry-run", "Prints which.");
  verb(group, "stat", "Print the details of a file.")
    .argument("<path>")
    .option(...version)
    .option("--json", "Prints JSON.");
  verb(group, "mv", "Move a file to another path.").argument("<path>").argument("<new path>");
  verb(group, "cp", "Copy a file to another path.").argument("<path>").argument("<new path>");
  group.arrange = (args) => verbFirst(group, args);
}

const verb = (group: CommandLine, name: VerbName, description: string): CommandLine =>
  group
    .command(name)
    .description(description)
    .argument("<storage>", storageHelp)
    .examples(calls[name])
    .option("--name <name>", "Prefix of the table names. Default: Partita.")
    .does(async (args, options) => (await import("../files/files.ts")).files(name, args, options));

/** The storage is written before the verb, and parsed after it. */
function verbFirst(group: CommandLine, args: readonly string[]): readonly string[] {
  const isVerb = (text: string | undefined): boolean => group.commands.some((each) => each.name() === text);
  const [first, second] = group.placesOf(args);
  const asksForHelp = args.some((arg) => arg === "-h" || arg === "--help");
  if (first !== undefined && !asksForHelp && !isVerb(args[first]) && !isVerb(args[second ?? -1]))
    throw new UsageError(
      `partita files needs a storage and one of ${group.commands.map((each) => each.name()).join(", ")}, as in partita files file:tables.db ls. See partita files --help.`,
    );
  if (first === undefined || second === undefined || isVerb(args[first]) || !isVerb(args[second]))
    return args;
  return [args[second] ?? "", ...args.slice(0, second), ...args.slice(second + 1)];
}
