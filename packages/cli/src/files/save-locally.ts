import { type FileHandle, lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import type { StoredFile } from "@partita/files";
import { writeTemporarily } from "../disk/temporary.ts";
import { CommandError } from "../session/session.ts";

/** One file cannot be written where it should be; others may. */
export class LocalFileRefused extends CommandError {
  get isLocalFileRefused(): true {
    return true;
  }

  static override is(value: unknown): value is LocalFileRefused {
    return (value as Partial<LocalFileRefused> | null | undefined)?.isLocalFileRefused === true;
  }
}

/** How a file is written. */
export interface SaveOptions {
  /** Whether a file that is there is replaced. */
  readonly isForced: boolean;
  /** The folder that it has to be in, whatever links are on the way. */
  readonly within?: string;
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes a stored file under another name, and gives it its own at the end: nobody sees half of it.
 *
 * @returns its bytes
 * @throws LocalFileRefused where something is there already, or the name cannot be used
 */
export async function saveLocally(file: StoredFile, target: string, options: SaveOptions): Promise<number> {
  const folder = dirname(target);
  await refusing(target, () => makeFolder(folder, options.within));
  await refusing(target, () => checkFree(target, options.isForced));
  let bytes = 0;
  await refusing(target, () =>
    writeTemporarily(
      target,
      async (to) => {
        bytes = await write(file, to, options);
      },
      // It may have come meanwhile.
      { mode: "usual", beforeRename: () => checkFree(target, options.isForced) },
    ),
  );
  return bytes;
}

/** Memory that a file is read into, part by part. */
const bytesAtOnce = 256 * 1024;

async function write(file: StoredFile, to: FileHandle, { onProgress, signal }: SaveOptions): Promise<number> {
  const reader = file.stream({ signal }).getReader({ mode: "byob" });
  let written = 0;
  try {
    for (let memory = new Uint8Array(bytesAtOnce); ;) {
      const { value, done } = await reader.read(memory);
      if (done) return written;
      await to.writeFile(value);
      written += value.byteLength;
      onProgress(written);
      memory = new Uint8Array(value.buffer);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function makeFolder(folder: string, within: string | undefined): Promise<void> {
  if (within === undefined) return;
  await mkdir(within, { recursive: true });
  const root = await realpath(within);
  await checkInside(await deepestThere(folder), root);
  await mkdir(folder, { recursive: true });
  await checkInside(folder, root);
}

/** A folder, or that around it which is there. */
async function deepestThere(folder: string): Promise<string> {
  const isThere = await lstat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : deepestThere(dirname(folder));
}

/** A link in the folder may lead elsewhere. */
async function checkInside(folder: string, root: string): Promise<void> {
  const real = await realpath(folder);
  const isInside = real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
  if (!isInside)
    throw new LocalFileRefused(
      `files.local-link: ${JSON.stringify(folder)} is a link to a place outside of the folder. Remove it, or get into another folder.`,
    );
}

async function checkFree(target: string, isForced: boolean): Promise<void> {
  const there = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (there === undefined) return;
  if (there.isDirectory())
    throw new LocalFileRefused(`files.local-exists: ${JSON.stringify(target)} is a folder.`);
  if (!isForced)
    throw new LocalFileRefused(
      `files.local-exists: ${JSON.stringify(target)} is there already. --force replaces it.`,
    );
}

/** What a name alone is to blame for; any other failure would be that of the next file, too. */
const ofNames: ReadonlySet<string> = new Set([
  "ENAMETOOLONG",
  "ENOTDIR",
  "EEXIST",
  "EISDIR",
  "EILSEQ",
  "EINVAL",
]);

async function refusing(target: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (LocalFileRefused.is(error) || code === undefined || !ofNames.has(code)) throw error;
    throw new LocalFileRefused(`files.local-name: ${JSON.stringify(target)} cannot be written (${code}).`, {
      cause: error,
    });
  }
}
