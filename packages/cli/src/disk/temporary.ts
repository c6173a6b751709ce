import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { chmod, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

/*
 * Temporary files and folders of commands. Only their owner may read them, whatever the file gets to be. Their names have the host
 * and the process that made them: what a killed process left is removed by the next one that writes to the same folder.
 */

/** How many of the temporary file's rights a new file keeps: `owner` for none but its owner's, `usual` for those of any new file. */
export type NewFileMode = "owner" | "usual";

/**
 * Writes a file under a temporary name, and gives it its own at the end: it is there as a whole or not at all. A file that
 * is replaced keeps its rights.
 *
 * @param beforeRename - a last check; where it throws, nothing is replaced
 */
export async function writeTemporarily<Result>(
  target: string,
  write: (file: FileHandle) => Promise<Result>,
  { mode, beforeRename }: { readonly mode: NewFileMode; readonly beforeRename?: () => Promise<void> },
): Promise<Result> {
  const folder = dirname(target);
  removeLeftovers(folder);
  const temporary = join(folder, nameOf(".part"));
  try {
    const handle = await open(temporary, "wx", 0o600);
    const result = await write(handle).finally(() => handle.close());
    await beforeRename?.();
    await chmod(temporary, await modeFor(target, mode));
    await rename(temporary, target);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes a folder that only its owner may read; its maker removes it. */
export function makeTemporaryFolder(parent: string): string {
  removeLeftovers(parent);
  return mkdtempSync(join(parent, nameOf(".dir-")));
}

/** The rights of a file that is replaced; of a new one, none but its owner's, or those that the process gives new files. */
async function modeFor(target: string, mode: NewFileMode): Promise<number> {
  const there = await lstat(target).catch(() => undefined);
  if (there?.isFile() === true) return there.mode & 0o777;
  return mode === "owner" ? 0o600 : 0o666 & ~process.umask();
}

const prefix = ".partita-";
const host: string = hostname().replaceAll(/[^\w-]/g, "_");

const nameOf = (ending: string): string =>
  `${prefix}${host}-${process.pid}-${randomUUID().slice(0, 8)}${ending}`;

/** Those of this host; another one's processes cannot be asked. */
const ownName = new RegExp(String.raw`^\.partita-${host}-(\d{1,10})-[0-9a-f]{8}\.(?:part|dir-\w+)$`);

const seen = new Set<string>();

/** Removes what processes of this host that no longer run have left in a folder. Each folder is looked at once. */
function removeLeftovers(folder: string): void {
  if (seen.has(folder)) return;
  seen.add(folder);
  for (const name of namesIn(folder)) {
    const pid = ownName.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) removeQuietly(join(folder, name));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** It may be another user's. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next process tries again.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
