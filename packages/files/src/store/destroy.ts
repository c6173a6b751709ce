import { StorageError } from "@partita/core";
import type { FileStore } from "./file-store.ts";
import { markDestroyed } from "./layout.ts";

/**
 * Deletes the tables of a file system. First its layout is marked, so no other program opens it meanwhile. The
 * table with the mark is deleted last, so a call that was stopped can be repeated.
 */
export async function destroyFiles(
  tables: Pick<FileStore, "name" | "storage" | "clock" | "retry">,
  signal: AbortSignal | undefined,
): Promise<void> {
  await markDestroyed(tables, signal);
  for (const table of [`${tables.name}Blocks`, `${tables.name}Files`])
    try {
      await tables.storage.deleteTable(table, { signal });
    } catch (error) {
      if (!StorageError.is(error) || error.status !== 404) throw error;
    }
}
