import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { chmod, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

/*
 * Temporary files and folders of commands. Only their owner may read them, even if the final file has wider
 * permissions. Their names contain the host and the process that created them, so the next command that
 * writes to the same folder can delete the leftovers of a killed process. A process of another host, such as
 * a container that no longer exists, can't be checked: its files are deleted if they are a day old.
 */

/** Permissions of a new file: `owner` for its owner only, `usual` for the default of new files. */
export type NewFileMode = "owner" | "usual";

/**
 * Writes a file under a temporary name and renames it at the end, so readers see either the complete file or
 * none. A replaced file keeps its permissions.
 *
 * @param beforeRename - a last check; if it throws, nothing is replaced
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
    const handle = await open(temporary, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
      // The user did not name the temporary file.
      error.path = target;
      throw error;
    });
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

/** Creates a folder that only its owner may read. The caller deletes it. */
export function makeTemporaryFolder(parent: string): string {
  removeLeftovers(parent);
  return mkdtempSync(join(parent, nameOf(".dir-")));
}

/** The permissions of the replaced file. For a new file, those of its owner only or the process default. */
async function modeFor(target: string, mode: NewFileMode): Promise<number> {
  const there = await lstat(target).catch(() => undefined);
  if (there?.isFile() === true) return there.mode & 0o777;
  return mode === "owner" ? 0o600 : 0o666 & ~process.umask();
}

const prefix = ".partita-";
const host: string = hostname().replaceAll(/[^\w-]/g, "_");

const nameOf = (ending: string): string =>
  `${prefix}${host}-${process.pid}-${randomUUID().slice(0, 8)}${ending}`;

const temporaryName = /^\.partita-(.+)-(\d{1,10})-[0-9a-f]{8}\.(?:part|dir-\w+)$/;
const dayMs = 24 * 60 * 60 * 1000;

const seen = new Set<string>();

/** Deletes the leftovers of ended processes from a folder. Each folder is checked once. */
function removeLeftovers(folder: string): void {
  if (seen.has(folder)) return;
  seen.add(folder);
  for (const name of namesIn(folder)) {
    const [, itsHost, pid] = temporaryName.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const hasEnded = itsHost === host && !isRunning(Number(pid));
    if (hasEnded || Date.now() - writtenAt(path) > dayMs) removeQuietly(path);
  }
}

/** When a file, or any file of a folder, was last written. */
function writtenAt(path: string): number {
  const times = [path, ...namesIn(path).map((name) => join(path, name))].map(
    (each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The file may belong to another user. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next process retries.
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
