import { createReadStream, type Dirent, existsSync } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { UsageError } from "../session/usage-error.ts";
import { counted, formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { folderOf, pathInto } from "./paths.ts";
import { type FilesSession, summarized, type Verb } from "./session.ts";

/** `put`: stores a local file, all files of a local folder, or standard input. */
export const put: Verb = async (session, operands, options) => {
  const [local = "", path = ""] = operands;
  const { input, signal } = session;
  const { type: contentType } = options;
  if (local === "-") {
    if (path.endsWith("/"))
      throw new UsageError(
        "Standard input has no name: give the path of the file, not one that ends with /.",
      );
    // The command may wait for input, and a signal must end that too.
    const content = addAbortSignal(signal, input());
    return putOne(session, { content, path, size: undefined, contentType });
  }
  if (!existsSync(local)) throw new UsageError(`There is no ${local}.`);
  const found = await stat(local);
  if (found.isDirectory()) return putFolder(session, operands, options);
  const target = pathInto(path, basename(resolve(local)));
  const content = createReadStream(local, { signal });
  return putOne(session, { content, path: target, size: found.size, contentType });
};

/** The content of one file. */
interface Content {
  readonly content: Readable;
  readonly path: string;
  /** Undefined if unknown. */
  readonly size: number | undefined;
  readonly contentType: string | undefined;
}

async function putOne(
  { files, out, bar, signal }: FilesSession,
  { content, path, size, contentType }: Content,
): Promise<number> {
  let written = 0;
  const onProgress = (done: number): void => {
    written = done;
    bar.show({ done, size });
  };
  const file = await files.write(path, content, { contentType, signal, onProgress });
  bar.end();
  await out.line(`Wrote ${printable(path)}, version ${file.version}: ${formatBytes(written)}.`);
  return 0;
}

/** A local file, and the path to store it at. */
interface Source {
  readonly local: string;
  readonly path: string;
  /** The size when the folder was read; the file may grow. */
  readonly size: number;
}

const putFolder: Verb = async (session, [local = "", path = ""], { type: contentType }) => {
  const { files, out, bar, signal } = session;
  const sources: Source[] = [];
  for await (const source of below(local, folderOf(path).from, session)) sources.push(source);
  const size = sources.reduce((sum, source) => sum + source.size, 0);
  let [count, written] = [0, 0];
  const summary = (): string =>
    `Wrote ${counted(count, "file")} of ${sources.length.toLocaleString("en")}, ${formatBytes(written)}, to ${printable(path)}.`;
  await summarized(session, summary, async () => {
    for (const source of sources) {
      const before = written;
      const onProgress = (done: number): void => {
        written = before + done;
        bar.show({ done: written, size, note: counted(count, "file") });
      };
      const content = createReadStream(source.local, { signal });
      await files.write(source.path, content, { contentType, signal, onProgress });
      count++;
    }
  });
  bar.end();
  await out.line(summary());
  return 0;
};

/** Yields all files of a local folder and its subfolders, sorted by name. */
async function* below(
  folder: string,
  prefix: string,
  session: Pick<FilesSession, "say" | "signal">,
): AsyncGenerator<Source> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    session.signal.throwIfAborted();
    const local = join(folder, entry.name);
    // Links to files are followed, but links to folders are not: a folder could contain itself.
    const isFolder = entry.isDirectory();
    const found =
      entry.isSymbolicLink() || entry.isFile() ? await stat(local).catch(() => undefined) : undefined;
    if (isFolder) yield* below(local, `${prefix}${entry.name}/`, session);
    else if (found?.isFile() === true) yield { local, path: `${prefix}${entry.name}`, size: found.size };
    else session.say(`Left out ${printable(local)}: it is not a file.`);
  }
}
