import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative, sep } from "node:path";
import type { Files } from "@partita/files";

/** The files in a folder and its subfolders, by their relative names. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, posix.sep))
    .toSorted();
}

/** Copies a folder of the disk to a folder of a file system. */
export async function copyIn(files: Files, from: string, to: string): Promise<number> {
  const names = await namesIn(from);
  for (const name of names) await files.write(`${to}/${name}`, createReadStream(join(from, name)));
  return names.length;
}

/** Copies a folder of a file system to the disk. */
export async function copyOut(files: Files, from: string, to: string): Promise<number> {
  let count = 0;
  for await (const { path } of files.list({ from: `${from}/`, to: `${from}0` })) {
    const target = join(to, ...path.slice(from.length + 1).split("/"));
    await mkdir(dirname(target), { recursive: true });
    const file = await files.open(path);
    if (file === undefined) continue;
    await writeFile(target, file.stream());
    count++;
  }
  return count;
}

/** Whether two folders have the same files. */
export async function isSame(one: string, other: string): Promise<boolean> {
  const [names, others] = await Promise.all([namesIn(one), namesIn(other)]);
  if (names.join("\n") !== others.join("\n")) return false;
  for (const name of names) {
    const [a, b] = await Promise.all([readFile(join(one, name)), readFile(join(other, name))]);
    if (!a.equals(b)) return false;
  }
  return true;
}
