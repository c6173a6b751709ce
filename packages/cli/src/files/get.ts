import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { StoredFile } from "@partita/files";
import { UsageError } from "../session/usage-error.ts";
import { counted, formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { localPathOf } from "./local-path.ts";
import { folderOf, lastOf } from "./paths.ts";
import { cat } from "./read.ts";
import { LocalFileRefused, saveLocally } from "./save-locally.ts";
import { nothingBelow, openFile, summarized, type Verb } from "./session.ts";

/** `get`: reads one file. With -r, or a / at its end, all files in a folder and its subfolders. */
export const get: Verb = (session, operands, options) => {
  const [path = "", local = ""] = operands;
  const isFolder = options.recursive === true || path.endsWith("/");
  if (isFolder && (local === "-" || options.version !== undefined))
    throw new UsageError("A folder needs a local folder, and only its current files can be read.");
  const verb = local === "-" ? cat : isFolder ? getFolder : getOne;
  return verb(session, operands, options);
};

const getOne: Verb = async (session, [path = "", local = ""], { version, force = false }) => {
  const { out, bar, signal } = session;
  const file = await openFile(session, path, version);
  const target = (await isDirectory(local)) ? localPathOf(local, lastOf(path)) : local;
  if (target === undefined) throw notAName(path);
  const size = bar.isShown ? await file.size({ signal }) : undefined;
  const onProgress = (done: number): void => bar.show({ done, size });
  const bytes = await saveLocally(file, target, { isForced: force, onProgress, signal });
  bar.end();
  await out.line(`Wrote ${printable(target)}: ${formatBytes(bytes)}, version ${file.version}.`);
  return 0;
};

/** Files that cannot be written are reported, and the others are still written. */
const getFolder: Verb = async (session, [path = "", local = ""], { force: isForced = false }) => {
  const { files, out, bar, say, signal } = session;
  const folder = folderOf(path);
  let [count, bytes, refused] = [0, 0, 0];
  const summary = (): string =>
    `Wrote ${counted(count, "file")}, ${formatBytes(bytes)}, into ${printable(local)}.`;
  await summarized(session, summary, async () => {
    for await (const info of files.list({ ...folder, signal })) {
      const file = await files.open(info.path, { signal });
      // Deleted since it was listed.
      if (file === undefined) continue;
      try {
        const target = targetOf(file, local, folder.from);
        const onProgress = (done: number): void =>
          bar.show({ done: bytes + done, size: undefined, note: counted(count, "file") });
        bytes += await saveLocally(file, target, { isForced, within: local, onProgress, signal });
        count++;
      } catch (error) {
        if (!LocalFileRefused.is(error)) throw error;
        refused++;
        say(error.message);
      }
    }
  });
  if (count + refused === 0) throw nothingBelow(path);
  bar.end();
  await out.line(refused === 0 ? summary() : `${summary()} ${counted(refused, "file")} left out.`);
  return refused === 0 ? 0 : 1;
};

function targetOf({ path }: StoredFile, local: string, from: string): string {
  const target = localPathOf(local, path.slice(from.length));
  if (target === undefined) throw notAName(path);
  return target;
}

const notAName = (path: string): LocalFileRefused =>
  new LocalFileRefused(
    `files.local-name: ${JSON.stringify(path)} cannot be the name of a file here. Get it on its own, under another name.`,
  );

async function isDirectory(local: string): Promise<boolean> {
  const isNamedSo = /[/\\]$/.test(join(local));
  return isNamedSo || ((await stat(local).catch(() => undefined))?.isDirectory() ?? false);
}
