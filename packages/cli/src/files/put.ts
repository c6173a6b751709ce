import { createReadStream, type Dirent, existsSync } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { progressBar, type ProgressBar } from "../terminal/progress-bar.ts";
import { UsageError } from "../session/usage-error.ts";
import type { VerbArguments } from "./files-arguments.ts";
import { folderOf, pathInto } from "./paths.ts";
import type { FilesSession } from "./session.ts";
import { counted } from "./stat.ts";

/** `put`: a local file, all files below a local folder, or standard input. */
export async function put(session: FilesSession, asked: VerbArguments): Promise<number> {
  const [local = "", path = ""] = asked.operands;
  const bar = progressBar(session.messages);
  try {
    if (local === "-") return await putInput(session, path, asked.type, bar);
    const { size, isDirectory } = await kindOf(local);
    if (isDirectory) return await putFolder(session, asked, bar);
    const target = pathInto(path, basename(resolve(local)));
    return await putOne(session, { local, path: target, size }, asked.type, bar);
  } finally {
    bar.end();
  }
}

async function kindOf(local: string): Promise<{ readonly size: number; readonly isDirectory: boolean }> {
  if (!existsSync(local)) throw new UsageError(`There is no ${local}.`);
  const found = await stat(local);
  return { size: found.size, isDirectory: found.isDirectory() };
}

async function putInput(
  { files, out, input, signal }: FilesSession,
  path: string,
  contentType: string | undefined,
  bar: ProgressBar,
): Promise<number> {
  if (path.endsWith("/"))
    throw new UsageError(
      "Standard input has no name: the path is that of the file, and does not end with /.",
    );
  let size = 0;
  const onProgress = (done: number): void => {
    size = done;
    bar.show({ done, size: undefined });
  };
  // Whoever waits for input is to be stopped, too.
  const content = addAbortSignal(signal, input);
  const file = await files.write(path, content, { contentType, signal, onProgress });
  bar.end();
  await out.line(`Wrote ${printable(path)}, version ${file.version}: ${formatBytes(size)}.`);
  return 0;
}

/** A local file, and the path it is stored at. */
interface Source {
  readonly local: string;
  readonly path: string;
  /** When it was looked at; a file may grow. */
  readonly size: number;
}

async function putOne(
  { files, out, signal }: FilesSession,
  { local, path, size }: Source,
  contentType: string | undefined,
  bar: ProgressBar,
): Promise<number> {
  let written = 0;
  const onProgress = (done: number): void => {
    written = done;
    bar.show({ done, size });
  };
  const content = createReadStream(local, { signal });
  const file = await files.write(path, content, { contentType, signal, onProgress });
  bar.end();
  await out.line(`Wrote ${printable(path)}, version ${file.version}: ${formatBytes(written)}.`);
  return 0;
}

async function putFolder(session: FilesSession, asked: VerbArguments, bar: ProgressBar): Promise<number> {
  const { files, out, messages, signal } = session;
  const [local = "", path = ""] = asked.operands;
  const sources: Source[] = [];
  let size = 0;
  for await (const source of below(local, folderOf(path).from, session)) {
    sources.push(source);
    size += source.size;
  }
  let [count, written] = [0, 0];
  const summary = (): string =>
    `Wrote ${counted(count, "file")} of ${sources.length.toLocaleString("en")}, ${formatBytes(written)}, below ${printable(path)}.`;
  try {
    for (const source of sources) {
      const before = written;
      const onProgress = (done: number): void => {
        written = before + done;
        bar.show({ done: written, size, note: counted(count, "file") });
      };
      const content = createReadStream(source.local, { signal });
      await files.write(source.path, content, { contentType: asked.type, signal, onProgress });
      count++;
    }
  } catch (error) {
    bar.end();
    messages.write(`${summary()}\n`);
    throw error;
  }
  bar.end();
  await out.line(summary());
  return 0;
}

/** All files below a local folder, in the order of their names. */
async function* below(
  folder: string,
  prefix: string,
  session: Pick<FilesSession, "messages" | "signal">,
): AsyncGenerator<Source> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    session.signal.throwIfAborted();
    const local = join(folder, entry.name);
    // A link is followed to a file, and never to a folder, which may be around this one.
    const isFolder = entry.isDirectory();
    const found =
      entry.isSymbolicLink() || entry.isFile() ? await stat(local).catch(() => undefined) : undefined;
    if (isFolder) yield* below(local, `${prefix}${entry.name}/`, session);
    else if (found?.isFile() === true) yield { local, path: `${prefix}${entry.name}`, size: found.size };
    else session.messages.write(`Left out ${printable(local)}: it is no file.\n`);
  }
}
