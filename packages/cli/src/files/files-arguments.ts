import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { UsageError } from "../usage-error.ts";

/** What can be done with files. */
export type VerbName = "ls" | "put" | "get" | "cat" | "tail" | "rm" | "stat" | "mv" | "cp";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** The options of all verbs. */
const options = {
  name: text,
  long: { ...flag, short: "l" },
  versions: flag,
  json: flag,
  recursive: { ...flag, short: "r" },
  force: flag,
  type: text,
  version: text,
  follow: { ...flag, short: "f" },
  blocks: { ...text, short: "n" },
  "dry-run": flag,
} as const satisfies ParseArgsOptionsConfig;

type OptionName = Exclude<keyof typeof options, "name">;

/** How one verb is called. */
interface VerbUsage {
  /** Its operands, as help names them. */
  readonly operands: readonly string[];
  /** How many of them must be there. */
  readonly least: number;
  readonly options: readonly OptionName[];
}

const verbs: Readonly<Record<VerbName, VerbUsage>> = {
  ls: { operands: ["[prefix]"], least: 0, options: ["long", "versions", "json"] },
  put: { operands: ["<local file or folder, or ->", "<path>"], least: 2, options: ["type"] },
  get: {
    operands: ["<path>", "<local file or folder, or ->"],
    least: 2,
    options: ["recursive", "force", "version"],
  },
  cat: { operands: ["<path>"], least: 1, options: ["version"] },
  tail: { operands: ["<path>"], least: 1, options: ["follow", "blocks"] },
  rm: { operands: ["<path>"], least: 1, options: ["recursive", "dry-run"] },
  stat: { operands: ["<path>"], least: 1, options: ["version", "json"] },
  mv: { operands: ["<path>", "<new path>"], least: 2, options: [] },
  cp: { operands: ["<path>", "<new path>"], least: 2, options: [] },
};

/** What is asked of a verb. Those that are not options of the verb are as if they were not given. */
export interface VerbArguments {
  readonly operands: readonly string[];
  readonly isLong: boolean;
  readonly hasVersions: boolean;
  readonly isJson: boolean;
  readonly isRecursive: boolean;
  readonly isForced: boolean;
  readonly isFollowed: boolean;
  readonly isDryRun: boolean;
  readonly type: string | undefined;
  readonly version: number | undefined;
  readonly blocks: number | undefined;
}

/** What a command line asks for. */
export interface FilesArguments extends VerbArguments {
  /** For `openStorage`. */
  readonly storage: string;
  /** For `openFiles`. */
  readonly name: string | undefined;
  readonly verb: VerbName;
}

/** Reads the command line. Nothing of it is in messages but options and verbs: a connection string holds a key. @throws UsageError */
export function readFilesArguments(args: readonly string[]): FilesArguments {
  const { values, positionals } = parse(args);
  const [storage, verb, ...operands] = positionals;
  if (storage === undefined || verb === undefined || !isVerb(verb))
    throw new UsageError(
      `partita files takes a storage and then one of ${Object.keys(verbs).join(", ")}: partita files file:tables.db ls`,
    );
  const { least, operands: known, options: allowed } = verbs[verb];
  const other = Object.keys(values).find((name) => name !== "name" && !allowed.includes(name as OptionName));
  if (other !== undefined)
    throw new UsageError(`partita files ${verb} has no option --${other}. ${knownOptions(verb)}`);
  if (operands.length < least || operands.length > known.length)
    throw new UsageError(
      `partita files … ${verb} takes ${known.join(" and ") || "nothing"}, and was given ${operands.length}: partita files <storage> ${verb} ${known.join(" ")}`,
    );
  return {
    storage,
    name: values.name,
    verb,
    operands,
    isLong: values.long ?? false,
    hasVersions: values.versions ?? false,
    isJson: values.json ?? false,
    isRecursive: values.recursive ?? false,
    isForced: values.force ?? false,
    isFollowed: values.follow ?? false,
    isDryRun: values["dry-run"] ?? false,
    type: values.type,
    version: numberOf("--version", values.version, 1),
    blocks: numberOf("-n", values.blocks, 0),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nSee partita files --help.`, { cause: error });
  }
}

const isVerb = (name: string): name is VerbName => Object.hasOwn(verbs, name);

function knownOptions(verb: VerbName): string {
  const known = ["name" as const, ...verbs[verb].options].map((name) => `--${name}`);
  return `Known: ${known.join(", ")}.`;
}

function numberOf(flagName: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (/^\d{1,10}$/.test(given) && number >= least) return number;
  throw new UsageError(`${flagName} takes a whole number, ${least} or more.`);
}
