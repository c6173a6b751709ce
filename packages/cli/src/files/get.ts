import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { StoredFile } from "@partita/files";
import { formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { progressBar, type ProgressBar } from "../terminal/progress-bar.ts";
import { UsageError } from "../session/usage-error.ts";
import { nothingBelow } from "./change.ts";
import type { VerbArguments } from "./files-arguments.ts";
import { localPathOf } from "./local-path.ts";
import { folderOf, lastOf } from "./paths.ts";
import { cat } from "./read.ts";
import { LocalFileRefused, saveLocally } from "./save-locally.ts";
import { type FilesSession, openFile } from "./session.ts";
import { counted } from "./stat.ts";

/** `get`: one file, or with -r or a / at its end all files below a folder. */
export async function get(session: FilesSession, asked: VerbArguments): Promise<number> {
  const [path = "", local = ""] = asked.operands;
  const isFolder = asked.isRecursive || path.endsWith("/");
  if (isFolder && (local === "-" || asked.version !== undefined))
    throw new UsageError("A folder is got into a folder, and its files are the current ones.");
  if (local === "-") return cat(session, asked);
  const bar = progressBar(session.messages);
  try {
    return await (isFolder ? getFolder(session, asked, bar) : getOne(session, asked, bar));
  } finally {
    bar.end();
  }
}

async function getOne(session: FilesSession, asked: VerbArguments, bar: ProgressBar): Promise<number> {
  const { out, signal } = session;
  const [path = "", local = ""] = asked.operands;
  const file = await openFile(session, path, asked.version);
  const target = (await isDirectory(local)) ? localPathOf(local, lastOf(path)) : local;
  if (target === undefined) throw notAName(path);
  const size = bar.isShown ? await file.size({ signal }) : undefined;
  const onProgress = (done: number): void => bar.show({ done, size });
  const bytes = await saveLocally(file, target, { isForced: asked.isForced, onProgress, signal });
  bar.end();
  await out.line(`Wrote ${printable(target)}: ${formatBytes(bytes)}, version ${file.version}.`);
  return 0;
}

/** Files that cannot be written are named, and do not hold up the others. */
async function getFolder(session: FilesSession, asked: VerbArguments, bar: ProgressBar): Promise<number> {
  const { files, out, messages, signal } = session;
  const [path = "", local = ""] = asked.operands;
  const folder = folderOf(path);
  let [count, bytes, refused] = [0, 0, 0];
  const summary = (): string =>
    `Wrote ${counted(count, "file")}, ${formatBytes(bytes)}, into ${printable(local)}.`;
  try {
    for await (const info of files.list({ ...folder, signal })) {
      const file = await files.open(info.path, { signal });
      // Deleted since it was listed.
      if (file === undefined) continue;
      try {
        const target = targetOf(file, local, folder.from);
        const onProgress = (done: number): void =>
          bar.show({ done: bytes + done, size: undefined, note: counted(count, "file") });
        bytes += await saveLocally(file, target, {
          isForced: asked.isForced,
          within: local,
          onProgress,
          signal,
        });
        count++;
      } catch (error) {
        if (!LocalFileRefused.is(error)) throw error;
        refused++;
        bar.end();
        messages.write(`${error.message}\n`);
      }
    }
  } catch (error) {
    bar.end();
    messages.write(`${summary()}\n`);
    throw error;
  }
  if (count + refused === 0) throw nothingBelow(path);
  bar.end();
  await out.line(refused === 0 ? summary() : `${summary()} ${counted(refused, "file")} left out.`);
  return refused === 0 ? 0 : 1;
}

function targetOf({ path }: StoredFile, local: string, from: string): string {
  const target = localPathOf(local, path.slice(from.length));
  if (target === undefined) throw notAName(path);
  return target;
}

const notAName = (path: string): LocalFileRefused =>
  new LocalFileRefused(
    `files.local-name: ${JSON.stringify(path)} cannot be the name of a file here. Get it alone, under another name.`,
  );

async function isDirectory(local: string): Promise<boolean> {
  const isNamedSo = /[/\\]$/.test(join(local));
  return isNamedSo || ((await stat(local).catch(() => undefined))?.isDirectory() ?? false);
}
