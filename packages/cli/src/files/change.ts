import type { Files } from "@partita/files";
import { printable } from "../terminal/printable.ts";
import { progressBar } from "../terminal/progress-bar.ts";
import type { VerbArguments } from "./files-arguments.ts";
import { folderOf, lastOf, pathInto } from "./paths.ts";
import { type FilesSession, FilesCommandError, missing, openFile } from "./session.ts";
import { counted } from "./stat.ts";

/** `mv`: to another path. */
export const mv = (session: FilesSession, asked: VerbArguments): Promise<number> =>
  copied(session, asked, "move", "Moved to");

/** `cp`: to another path, too. */
export const cp = (session: FilesSession, asked: VerbArguments): Promise<number> =>
  copied(session, asked, "copy", "Copied to");

async function copied(
  session: FilesSession,
  { operands: [from = "", to = ""] }: VerbArguments,
  how: keyof Pick<Files, "move" | "copy">,
  done: string,
): Promise<number> {
  const { files, out, messages, signal } = session;
  const bar = progressBar(messages);
  const source = await openFile(session, from);
  // Counting takes time, which nobody wants to spend where no bar is seen.
  const size = bar.isShown ? await source.size({ signal }) : undefined;
  try {
    const target = pathInto(to, lastOf(from));
    const onProgress = (bytes: number): void => bar.show({ done: bytes, size });
    const file = await files[how](from, target, { signal, onProgress });
    bar.end();
    await out.line(`${done} ${printable(file.path)}, version ${file.version}.`);
  } finally {
    bar.end();
  }
  return 0;
}

/** `rm`: one file, or with -r all below a folder, and the file that has the folder's path. */
export async function rm(session: FilesSession, asked: VerbArguments): Promise<number> {
  const { files, out, messages, signal } = session;
  const [path = ""] = asked.operands;
  if (asked.isDryRun) return wouldRemove(session, asked);
  if (!asked.isRecursive) {
    if (!(await files.delete(path, { signal }))) throw missing(path);
    await out.line(`Deleted ${printable(path)}.`);
    return 0;
  }
  const { from, to } = folderOf(path);
  const bar = progressBar(messages);
  let deleted = 0;
  const line = (): string => `Deleted ${counted(deleted, "file")} at ${printable(path)} and below it.`;
  try {
    if (!path.endsWith("/") && (await files.delete(path, { signal }))) deleted++;
    const before = deleted;
    const onProgress = (count: number): void => {
      deleted = before + count;
      bar.say(line());
    };
    await files.deleteAll(from, to, { signal, onProgress });
  } catch (error) {
    bar.end();
    messages.write(`${line()}\n`);
    throw error;
  }
  bar.end();
  if (deleted === 0) throw nothingBelow(path);
  await out.line(line());
  return 0;
}

/** Prints what would be removed, a path a line. */
async function wouldRemove(session: FilesSession, asked: VerbArguments): Promise<number> {
  const { files, out, messages, signal } = session;
  const [path = ""] = asked.operands;
  let count = 0;
  const found = async (each: string): Promise<void> => {
    await out.line(printable(each));
    count++;
  };
  if (!asked.isRecursive || !path.endsWith("/"))
    if ((await files.open(path, { signal })) !== undefined) await found(path);
  if (asked.isRecursive)
    for await (const info of files.list({ ...folderOf(path), signal })) await found(info.path);
  if (count === 0) throw asked.isRecursive ? nothingBelow(path) : missing(path);
  messages.write(`${counted(count, "file")} would be deleted.\n`);
  return 0;
}

export const nothingBelow = (path: string): FilesCommandError =>
  new FilesCommandError(
    `file.missing: There is no file at ${JSON.stringify(path)}, and none below it. See ls.`,
  );
