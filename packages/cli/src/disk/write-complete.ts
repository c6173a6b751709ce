import type { FileHandle } from "node:fs/promises";
import { writeTemporarily } from "./temporary.ts";
import { checkOutput } from "./named-file.ts";

/**
 * Writes a file that appears only once it is complete. Only its owner may read it, because it contains
 * the data of the storage. A replaced file keeps its permissions.
 *
 * @throws UsageError if the file cannot be written, or exists and may not be replaced
 */
export async function writeComplete(
  file: string,
  chunks: AsyncIterable<string | Uint8Array>,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  checkOutput(file, force);
  const write = async (handle: FileHandle): Promise<void> => {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      await handle.appendFile(chunk);
    }
    await handle.sync();
  };
  // Another command may have written it meanwhile.
  const beforeRename = (): Promise<void> => Promise.resolve(checkOutput(file, force));
  await writeTemporarily(file, write, { mode: "owner", beforeRename });
}
