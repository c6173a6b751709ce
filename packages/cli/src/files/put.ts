import { createReadStream, type Dirent, existsSync } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { UsageError } from "../session/usage-error.ts";
import { counted, formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { folderOf, pathInto } from "./paths.ts";
import { type FilesSession, summarized, type Verb } from "./session.ts";

/** `put`: a local file, all files below a local folder, or standard input. */
export const put: Verb = async (session, operands, options) => {
  const [local = "", path = ""] = operands;
  const { input, signal } = session;
  const { type: contentType } = options;
  if (local === "-") {
    if (path.endsWith("/"))
      throw new UsageError(
        "Standard input has no name: the path is that of the file, and does not end with /.",
      );
    // Whoever waits for input is to be stopped, too.
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

/** What is stored as one file. */
interface Content {
  readonly content: Readable;
  readonly path: string;
  /** Undefined where nobody knows. */
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

/** A local file, and the path it is stored at. */
interface Source {
  readonly local: string;
  readonly path: string;
  /** When it was looked at; a file may grow. */
  readonly size: number;
}

const putFolder: Verb = async (session, [local = "", path = ""], { type: contentType }) => {
  const { files, out, bar, signal } = session;
  const sources: Source[] = [];
  for await (const source of below(local, folderOf(path).from, session)) sources.push(source);
  const size = sources.reduce((sum, source) => sum + source.size, 0);
  let [count, written] = [0, 0];
  const summary = (): string =>
    `Wrote ${counted(count, "file")} of ${sources.length.toLocaleString("en")}, ${formatBytes(written)}, below ${printable(path)}.`;
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

/** All files below a local folder, in the order of their names. */
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
    // A link is followed to a file, and never to a folder, which may be around this one.
    const isFolder = entry.isDirectory();
    const found =
      entry.isSymbolicLink() || entry.isFile() ? await stat(local).catch(() => undefined) : undefined;
    if (isFolder) yield* below(local, `${prefix}${entry.name}/`, session);
    else if (found?.isFile() === true) yield { local, path: `${prefix}${entry.name}`, size: found.size };
    else session.say(`Left out ${printable(local)}: it is no file.`);
  }
}
