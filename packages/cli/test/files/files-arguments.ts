import { files } from "../../src/commands/files.ts";
import {
  type FilesArguments,
  type FilesTexts,
  readFilesArguments,
  type VerbName,
} from "../../src/files/files-arguments.ts";
import { given } from "../given.ts";

/** What a command line asks of files. */
export function filesArguments(line: readonly string[]): FilesArguments {
  const { name, args, options } = given<FilesTexts>(files, line);
  return readFilesArguments(name as VerbName, args, options);
}
