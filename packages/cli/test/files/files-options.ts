import { files } from "../../src/commands/files.ts";
import type { FilesOptions, VerbName } from "../../src/files/session.ts";
import { given } from "../given.ts";

/** What a command line asks of files. */
interface AskedOfFiles extends FilesOptions {
  readonly verb: VerbName;
  readonly storage: string;
  readonly operands: readonly string[];
}

export function filesOptions(line: readonly string[]): AskedOfFiles {
  const { name, args, options } = given<FilesOptions>(files, line);
  const [storage = "", ...operands] = args;
  return { verb: name as VerbName, storage, operands, ...options };
}
