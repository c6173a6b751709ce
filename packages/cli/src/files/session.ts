import type { Readable } from "node:stream";
import type { Files, StoredFile } from "@partita/files";
import type { Output } from "../terminal/output.ts";
import type { Terminal } from "../terminal/progress-bar.ts";
import type { VerbArguments } from "./files-arguments.ts";

/** What a verb works with. */
export interface FilesSession {
  readonly files: Files;
  /** For results. */
  readonly out: Output;
  /** For progress, and for what is said beside results. */
  readonly messages: Terminal;
  /** What `put -` reads. */
  readonly input: Readable;
  readonly signal: AbortSignal;
}

/** Does what one verb says. @returns the exit code */
export type Verb = (session: FilesSession, asked: VerbArguments) => Promise<number>;

/** What is not there, or cannot be done as it was asked; printed as it is, and the exit code is 1. */
export class FilesCommandError extends Error {
  get isFilesCommandError(): true {
    return true;
  }

  static is(value: unknown): value is FilesCommandError {
    return (value as Partial<FilesCommandError> | null | undefined)?.isFilesCommandError === true;
  }
}

/** A file that has to be there. @throws FilesCommandError `file.missing` */
export async function openFile(
  { files, signal }: FilesSession,
  path: string,
  version?: number,
): Promise<StoredFile> {
  const file = await files.open(path, { signal, version });
  if (file === undefined) throw missing(path, version);
  return file;
}

export function missing(path: string, version?: number): FilesCommandError {
  const what = version === undefined ? "There is no file" : `There is no version ${version}`;
  return new FilesCommandError(
    `file.missing: ${what} at ${JSON.stringify(path)}. See ls, or ls --versions for what was deleted; folders are read and removed with -r.`,
  );
}
