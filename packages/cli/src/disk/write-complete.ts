import { existsSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { writeTemporarily } from "./temporary.ts";
import { UsageError } from "../session/usage-error.ts";

/**
 * Writes a file that is there as a whole or not at all. Only its owner may read it, as it has what the storage has; a file that
 * is replaced keeps its rights.
 *
 * @throws UsageError where a file of the name is there, unless it may be replaced
 */
export async function writeComplete(
  file: string,
  chunks: AsyncIterable<string | Uint8Array>,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  if (!force && existsSync(file)) throw new UsageError(`${file} is there already: --force replaces it.`);
  const write = async (handle: FileHandle): Promise<void> => {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      await handle.appendFile(chunk);
    }
    await handle.sync();
  };
  await writeTemporarily(file, write, { mode: "owner" });
}
