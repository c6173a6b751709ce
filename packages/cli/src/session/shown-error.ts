import { getSystemErrorMap } from "node:util";
import { isNativeError } from "node:util/types";
import { inCommandWords } from "./command-words.ts";
import { CommandError } from "./session.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Converts any error of a command to the error that is printed: a sentence, after the stable code of Partita's
 * errors. A `UsageError` means that the arguments were wrong.
 */
export function shownError(error: unknown): Error {
  if (!isNativeError(error)) return new CommandError(`The module threw ${typeof error}.`);
  if (UsageError.is(error) || CommandError.is(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const missing = /^Cannot find package '(@(?:partita|azure)\/\w+)'/.exec(message)?.[1];
  if (missing !== undefined) {
    const flag = missing === "@partita/testing" ? "--save-dev " : "";
    return new CommandError(`${missing} is not installed: npm install ${flag}${missing}`);
  }
  if (typeof code !== "string") return error;
  if (isSystemError(error)) return ofSystem(error);
  if (!code.includes(".")) return error;
  const said = `${code}: ${inCommandWords(code, message)}`;
  return code.endsWith(".option") || ofArguments.has(code)
    ? new UsageError(said, { cause: error })
    : new CommandError(said, { cause: error });
}

/** Codes of errors that arguments cause. */
const ofArguments: ReadonlySet<string> = new Set(["query.filter-syntax", "storage.unknown-target"]);

const isSystemError = ({ syscall }: NodeJS.ErrnoException): boolean => typeof syscall === "string";

/** Sentences for refusals of the operating system that users can correct. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Free some space, and run the command again.",
  EDQUOT: "Your disk quota is used up. Free some space, and run the command again.",
  EACCES: "You don't have permission to read or write the file.",
  EPERM: "You don't have permission to read or write the file.",
  EROFS: "The disk is read-only.",
  EISDIR: "It is a folder. Name a file.",
  ENOENT: "It does not exist.",
  ENOTDIR: "A part of its path is not a folder.",
  EMFILE: "Too many files are open.",
  EADDRINUSE: "The port is taken. Choose another with --port, or 0 for a free one.",
};

/** The path first, as far as the system names it. */
function ofSystem({ code = "", errno = 0, path, cause }: NodeJS.ErrnoException): Error {
  const said =
    sentences[code] ?? `The operating system reports: ${getSystemErrorMap().get(errno)?.[1] ?? code}.`;
  return new CommandError(path === undefined ? said : `${path}: ${said}`, { cause });
}
