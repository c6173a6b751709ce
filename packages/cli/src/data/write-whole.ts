import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { UsageError } from "../usage-error.ts";

/**
 * Writes a file that is there as a whole or not at all: under another name first, which it gets when all is on the disk.
 *
 * Only its owner may read it, as it has what the storage has.
 *
 * @throws UsageError where a file of the name is there, unless it may be replaced
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<string | Uint8Array>,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  if (!force && existsSync(file)) throw new UsageError(`${file} is there already: --force replaces it.`);
  const part = `${file}.${process.pid}.part`;
  try {
    const handle = await open(part, "wx", 0o600);
    try {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        await handle.appendFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
