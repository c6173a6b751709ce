/** What the command can be asked to do. */
export type CommandName =
  | "doctor"
  | "census"
  | "upgrade"
  | "index"
  | "verify"
  | "patterns"
  | "stress"
  | "page-ranges"
  | "files"
  | "studio"
  | "serve";

/** How one command is called and what it does. */
interface Usage {
  /** Its arguments and options, a line each. */
  readonly synopsis: readonly string[];
  readonly summary: readonly string[];
  /** What `partita <command> --help` adds. */
  readonly details: readonly string[];
}

const ofModules = [
  "<module.js> is compiled and exports entity classes; <storage> is file:path.db or a connection string.",
];

const usages: Readonly<Record<CommandName, Usage>> = {
  doctor: {
    synopsis: ["doctor [tsconfig.json]"],
    summary: [
      "Compiles a small program with your TypeScript and your compiler options, runs it, and names the flag that is wrong.",
    ],
    details: [
      "The program has decorated classes where @partita/decorators is installed, and classes of defineEntity elsewhere.",
      "A folder stands for the tsconfig.json in it. The exit code is 0 when the program runs, and 1 when it does not.",
    ],
  },
  census: {
    synopsis: ["census <module.js> <storage>"],
    summary: ["Counts the rows of the module's tables by kind, version and shape."],
    details: ofModules,
  },
  upgrade: {
    synopsis: ["upgrade <module.js> <storage> [--dry-run] [--rate n] [--concurrency n]"],
    summary: [
      "Stores every row of the module's classes in its present version. May be stopped and goes on where it was; several",
      "may run at once.",
    ],
    details: [
      "--dry-run upgrades in memory only. --rate is the most rows a second; --concurrency is the pages worked at together,",
      "4 by default.",
      "The exit code is 1 when rows are left behind, and 130 when it was stopped.",
      ...ofModules,
    ],
  },
  index: {
    synopsis: [
      "index build <module.js> <storage> <index> [--rate n] [--concurrency n]",
      "index verify <module.js> <storage> [index] [--repair]",
      "index drop <module.js> <storage> <index> [--rate n] [--concurrency n]",
    ],
    summary: [
      "Builds an index for all entities that are stored, compares indexes with the entities, or removes the rows of one.",
      "May be stopped and called again; several may build or drop one index at once.",
    ],
    details: [
      "build takes an index that the module declares as building: deploy that first to every program that writes. It ends with",
      "a comparison, and when the index is complete it can be declared as ready.",
      "verify takes an index that is building or ready, or all of them. --repair writes what is missing or different and removes",
      "what is extra. Values that must be unique and are not are printed with the keys of the entities.",
      "drop takes an index that is declared as retired. --rate is the most rows a second; --concurrency is the pages worked at",
      "together, 4 by default.",
      "The exit code is 1 when the index is not complete, differs, or has rows left, and 130 when it was stopped.",
      ...ofModules,
    ],
  },
  verify: {
    synopsis: ["verify <file>"],
    summary: [
      "Checks the file of an embedded store: its pages, each row and its checksum, keys, indexes, and that no row is lost.",
    ],
    details: [
      "The file is only read, and may be in use meanwhile. It is checked in one state, whatever is written while that takes.",
      "Findings are printed a line each, with the table and the keys of the row, and without values of properties. The exit",
      "code is 0 when the file is sound, and 1 when it is not.",
    ],
  },
  patterns: {
    synopsis: ["patterns <module.js> [--json]"],
    summary: [
      "Plans the access patterns that a module exports, at the corners of their parameters and with 1,000 samples, and prints",
      "how good each plan is.",
    ],
    details: [
      "The module is compiled and exports what definePatterns() returns. Nothing is sent, and no storage is needed.",
      "The exit code is 1 when a pattern does not meet its bounds: the value that shows it is printed.",
    ],
  },
  stress: {
    synopsis: [
      "stress <module.js> --storage <storage> [--seconds n] [--from n] [--to n] [--target n]",
      "      [--svg file] [--json file]",
    ],
    summary: [
      "Puts one partition under load, in steps of more and more entities a second, and finds the largest rate it sustains.",
    ],
    details: [
      "The module exports one or several defineStress(Class, { partition, load }) of @partita/testing: what is asked of the",
      "partition. Options of the command go before theirs: --seconds in all (60), --from and --to entities a second (100 and",
      "4000), and the --target that is to be sustained. --svg and --json write the plot and the figures; where there are several",
      "tests, each file's name ends with the test's. Tables are the test's own, and are removed.",
      "What is measured is the storage it is given: a file, memory or an emulator measures this machine.",
      "The exit code is 1 when a target is missed, and 130 when it was stopped.",
    ],
  },
  "page-ranges": {
    synopsis: [
      "page-ranges <url> [--blob container/name] [--segment 150M] [--timeout seconds] [--snapshot time]",
      "      [--from bytes] [--join] [--list] [--svg file]",
    ],
    summary: [
      "Shows which pages of a page blob of Azure Blob Storage are written, as a map. A large one is read in segments, each of",
      "which is answered in time.",
    ],
    details: [
      "<url> is that of a blob, ending with a shared access signature; or it is a connection string, or UseDevelopmentStorage=true,",
      "and --blob names the blob.",
      "--segment is the part of the blob that one call asks about, 150M by default; 10G makes fewer calls, which a blob with many",
      "fragments may not be answered for. --timeout is what each call may take, 90 seconds by default.",
      "--list prints each range as first-last byte in place of the map, --join makes one of ranges that touch, and --svg writes",
      "the map as a picture.",
      "The exit code is 1 when a call fails, and 130 when it was stopped: what --from goes on with is printed.",
    ],
  },
  files: {
    synopsis: [
      "files <storage> ls [prefix] [-l] [--versions] [--json]",
      "files <storage> put <local file or folder, or -> <path> [--type media/type]",
      "files <storage> get <path> <local file or folder, or -> [-r] [--force] [--version n]",
      "files <storage> cat <path> [--version n]",
      "files <storage> tail <path> [-f] [-n blocks]",
      "files <storage> rm <path> [-r] [--dry-run]",
      "files <storage> stat <path> [--version n] [--json]",
      "files <storage> mv|cp <path> <new path>",
    ],
    summary: [
      "Lists, stores, reads, follows and removes the files that @partita/files keeps in tables. --name is the name that the",
      "tables begin with: Partita when absent.",
    ],
    details: [
      "ls lists the files whose paths begin with a text: a table on a terminal, and one path a line elsewhere. -l adds lengths",
      "and types: to know a length, each file's blocks are counted. --versions lists all versions of each, and those of a path that was deleted; --json",
      "prints a line of JSON for each.",
      "put stores a file, seen when all of it is stored; a folder's files, below <path>; or standard input, for -. A <path> that",
      "ends with / is a folder: the file keeps its name. Only put makes a new file:….",
      "get writes to a file, into a folder, or to standard output, for -. -r, or a <path> that ends with /, gets all files below",
      "a folder. What is there already is left alone, and the exit code is 1; --force replaces it.",
      "cat prints a file, and tail its last blocks, 10 by default: as many writes as they were appended by. -f goes on with what",
      "is appended, until the file is deleted or replaced.",
      "rm -r removes all files below a folder and the file that has its path; --dry-run prints which. Deleted versions can be",
      "read with --version until a program reclaims them.",
      "<storage> is file:path.db or a connection string. The exit code is 1 when something is not there or fails, and 130 when",
      "it was stopped.",
    ],
  },
  studio: {
    synopsis: ["studio [module.js] <storage> [--read-only] [--port n] [--open]"],
    summary: [
      "Serves a page on this machine that shows and edits the tables of a storage: queries with their plans, rows as forms,",
      "conflicts, counts, heat and upgrades.",
    ],
    details: [
      "With a compiled module, rows of its classes are shown and edited as these; without one, and in other tables, as they",
      "are stored. It needs the package @partita/studio.",
      "It listens on 127.0.0.1, at a free port unless --port names one, and answers only to the address that it prints, which",
      "holds a token: whoever has it reads and changes the storage. --read-only refuses every change. --open shows the page in",
      "the system's browser. It ends with SIGINT or SIGTERM; edits that were not saved are lost then.",
      "<storage> is file:path.db or a connection string.",
    ],
  },
  serve: {
    synopsis: [
      "serve [--storage file:tables.db] [--port 10002] [--account name] [--key base64]",
      "      [--host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem] [--allow-http]",
      "      [--throttle n] [--queue-port 10001] [--no-queues]",
    ],
    summary: [
      "Serves the REST protocols of Azure Table Storage and Azure Queue Storage over a storage: a file, memory (the default),",
      "or another service.",
    ],
    details: [
      "Without --account and --key it is the emulator's account, which every client knows as UseDevelopmentStorage=true;",
      "port 0 takes a free one. It ends with SIGINT or SIGTERM. The last line it prints once it is ready is",
      "    Ready host=127.0.0.1 port=10002 url=http://127.0.0.1:10002/devstoreaccount1",
      "It listens on 127.0.0.1. A --host that other machines reach needs a --key of its own, and a certificate with its",
      "private key in PEM. --allow-http serves such a host without a certificate, for a network that is yours alone, such as",
      "a container's port that is published on 127.0.0.1.",
      "Queues are served at the emulator's port 10001, or at a free one where --port is not the emulator's. --queue-port",
      "names another, and --no-queues leaves them out. The connection string that is printed has both services.",
      "--throttle n answers what a partition is asked beyond n entities a second with 503 ServerBusy.",
    ],
  },
};

const indented = (lines: readonly string[]): string[] => lines.map((line) => `      ${line}`);

/** A line that begins with a space goes on with the one before it. */
const calls = ({ synopsis }: Usage): string[] =>
  synopsis.map((line) => (line.startsWith(" ") ? `          ${line}` : `  partita ${line}`));

/** Whether there is a command of this name. */
export const isCommand = (name: string): name is CommandName => Object.hasOwn(usages, name);

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(usages);

/** What `partita --help` prints. */
export function usage(): string {
  const commands = Object.values(usages).flatMap((each) => [...calls(each), ...indented(each.summary)]);
  return ["Usage:", ...commands, "", ...ofModules, "partita <command> --help says more of one."].join("\n");
}

/** What `partita <command> --help` prints. */
export function usageOf(name: CommandName): string {
  const { [name]: one } = usages;
  return ["Usage:", ...calls(one), ...indented([...one.summary, ...one.details])].join("\n");
}
