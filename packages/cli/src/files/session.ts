import type { Files, StoredFile } from "@partita/files";
import { CommandError, type Session } from "../session/session.ts";

/** The verbs of `partita files`. */
export type VerbName = "ls" | "put" | "get" | "cat" | "tail" | "rm" | "stat" | "mv" | "cp";

/** Options of all verbs. A verb's unsupported options are absent. */
export interface FilesOptions {
  readonly name?: string;
  readonly long?: boolean;
  readonly versions?: boolean;
  readonly json?: boolean;
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly follow?: boolean;
  readonly dryRun?: boolean;
  readonly type?: string;
  readonly version?: number;
  readonly blocks?: number;
}

/** The files and options that a verb works with. */
export interface FilesSession extends Session {
  readonly files: Files;
}

/** Runs one verb. @returns the exit code */
export type Verb = (
  session: FilesSession,
  operands: readonly string[],
  options: FilesOptions,
) => Promise<number>;

/** A file that must exist. @throws CommandError `file.missing` */
export async function openFile(
  { files, signal }: FilesSession,
  path: string,
  version?: number,
): Promise<StoredFile> {
  const file = await files.open(path, { signal, version });
  if (file === undefined) throw missing(path, version);
  return file;
}

export function missing(path: string, version?: number): CommandError {
  const what = version === undefined ? "There is no file" : `There is no version ${version}`;
  return new CommandError(
    `file.missing: ${what} at ${JSON.stringify(path)}. See ls, or ls --versions for deleted files. To read or delete folders, use -r.`,
  );
}

export const nothingBelow = (path: string): CommandError =>
  new CommandError(
    `file.missing: There is no file at ${JSON.stringify(path)} or in a folder of that name. See ls.`,
  );

/** Processes several files. If one fails, the summary of those before it is still printed. */
export async function summarized(
  { say }: FilesSession,
  summary: () => string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(summary());
    throw error;
  }
}
