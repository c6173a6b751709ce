import { existsSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { writeTemporarily } from "./temporary.ts";
import { UsageError } from "../session/usage-error.ts";

/**
 * Writes a file so that it appears only once it is complete. Only its owner may read it, because it contains
 * the data of the storage. A replaced file keeps its permissions.
 *
 * @throws UsageError if a file with this name exists, unless it may be replaced
 */
export async function writeComplete(
  file: string,
  chunks: AsyncIterable<string | Uint8Array>,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  if (!force && existsSync(file)) throw new UsageError(`${file} already exists. --force replaces it.`);
  const write = async (handle: FileHandle): Promise<void> => {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      await handle.appendFile(chunk);
    }
    await handle.sync();
  };
  await writeTemporarily(file, write, { mode: "owner" });
}
