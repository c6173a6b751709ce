import type { Files } from "@partita/files";
import { counted } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { folderOf, lastOf, pathInto } from "./paths.ts";
import { type FilesOptions, missing, nothingBelow, openFile, summarized, type Verb } from "./session.ts";

const copied =
  (how: keyof Pick<Files, "move" | "copy">, done: string): Verb =>
  async (session, [from = "", to = ""]) => {
    const { files, out, bar, signal } = session;
    const source = await openFile(session, from);
    // Counting takes time, so skip it if no progress bar is shown.
    const size = bar.isShown ? await source.size({ signal }) : undefined;
    const onProgress = (bytes: number): void => bar.show({ done: bytes, size });
    const file = await files[how](from, pathInto(to, lastOf(from)), { signal, onProgress });
    bar.end();
    await out.line(`${done} ${printable(file.path)}, version ${file.version}.`);
    return 0;
  };

/** `mv`: moves a file. */
export const mv: Verb = copied("move", "Moved to");

/** `cp`: copies a file. */
export const cp: Verb = copied("copy", "Copied to");

/**
 * `rm`: deletes one file. With -r, all files in a folder and its subfolders, and the file with the folder's
 * path.
 */
export const rm: Verb = async (session, [path = ""], options) => {
  const { files, out, bar, signal } = session;
  if (options.dryRun === true) return wouldRemove(session, path, options);
  if (options.recursive !== true) {
    if (!(await files.delete(path, { signal }))) throw missing(path);
    await out.line(`Deleted ${printable(path)}.`);
    return 0;
  }
  const { from, to } = folderOf(path);
  let deleted = 0;
  const line = (): string => `Deleted ${counted(deleted, "file")} at ${printable(path)} and below it.`;
  await summarized(session, line, async () => {
    if (!path.endsWith("/") && (await files.delete(path, { signal }))) deleted++;
    const before = deleted;
    const onProgress = (count: number): void => {
      deleted = before + count;
      bar.say(line());
    };
    await files.deleteAll(from, to, { signal, onProgress });
  });
  bar.end();
  if (deleted === 0) throw nothingBelow(path);
  await out.line(line());
  return 0;
};

/** Prints the paths of the files to delete, one per line. */
async function wouldRemove(
  { files, out, say, signal }: Parameters<Verb>[0],
  path: string,
  { recursive = false }: FilesOptions,
): Promise<number> {
  let count = 0;
  const found = async (each: string): Promise<void> => {
    await out.line(printable(each));
    count++;
  };
  if (!recursive || !path.endsWith("/"))
    if ((await files.open(path, { signal })) !== undefined) await found(path);
  if (recursive) for await (const info of files.list({ ...folderOf(path), signal })) await found(info.path);
  if (count === 0) throw recursive ? nothingBelow(path) : missing(path);
  say(`${counted(count, "file")} would be deleted.`);
  return 0;
}
