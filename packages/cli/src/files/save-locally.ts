import { type FileHandle, lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import type { StoredFile } from "@partita/files";
import { writeTemporarily } from "../disk/temporary.ts";
import { CommandError } from "../session/session.ts";

/** One file cannot be written to its path. Others may succeed. */
export class LocalFileRefused extends CommandError {
  get isLocalFileRefused(): true {
    return true;
  }

  static override is(value: unknown): value is LocalFileRefused {
    return (value as Partial<LocalFileRefused> | null | undefined)?.isLocalFileRefused === true;
  }
}

/** Options for writing a file. */
export interface SaveOptions {
  /** Whether to replace an existing file. */
  readonly isForced: boolean;
  /** The folder that must contain the file, even if links lead elsewhere. */
  readonly within?: string;
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes a stored file under a temporary name and renames it at the end, so no reader sees an incomplete
 * file.
 *
 * @returns its length in bytes
 * @throws LocalFileRefused if a file exists, or the name cannot be used
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
      // Another program may have created it meanwhile.
      { mode: "usual", beforeRename: () => checkFree(target, options.isForced) },
    ),
  );
  return bytes;
}

/** Memory for reading a file part by part. */
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

/** The folder, or its nearest existing parent. */
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
      `files.local-link: ${JSON.stringify(folder)} is a link that leads out of the folder. Delete it, or get into another folder.`,
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
      `files.local-exists: ${JSON.stringify(target)} already exists. --force replaces it.`,
    );
}

/** Errors caused by the name alone. Any other failure would affect the next file too. */
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
