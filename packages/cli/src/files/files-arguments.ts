import { UsageError } from "../session/usage-error.ts";

/** What can be done with files. */
export type VerbName = "ls" | "put" | "get" | "cat" | "tail" | "rm" | "stat" | "mv" | "cp";

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
  /** For `tableFiles`. */
  readonly name: string | undefined;
  readonly verb: VerbName;
}

/** Options as they were given. */
export interface FilesTexts extends Readonly<
  Partial<Record<"name" | "type" | "version" | "blocks", string>>
> {
  readonly long?: boolean;
  readonly versions?: boolean;
  readonly json?: boolean;
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly follow?: boolean;
  readonly dryRun?: boolean;
}

/** Reads numbers, and names what is absent. @throws UsageError */
export function readFilesArguments(
  verb: VerbName,
  [storage = "", ...operands]: readonly string[],
  values: FilesTexts,
): FilesArguments {
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
    isDryRun: values.dryRun ?? false,
    type: values.type,
    version: numberOf("--version", values.version, 1),
    blocks: numberOf("-n", values.blocks, 0),
  };
}

function numberOf(flagName: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (/^\d{1,10}$/.test(given) && number >= least) return number;
  throw new UsageError(`${flagName} takes a whole number, ${least} or more.`);
}
