import { closeVersions } from "../blocks/read-state.ts";
import { contended } from "../errors/file-errors.ts";
import type { FileRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore, nowOf } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { currentVersions } from "./find-version.ts";

/**
 * Marks the current version of a path as deleted. Its blocks are deleted when they are reclaimed.
 *
 * @param only - the version to delete, in its last read state; a newer one stays
 * @returns false if there was no file
 */
export async function deleteFile(
  store: FileStore,
  path: string,
  signal: AbortSignal | undefined,
  only?: FileRow,
): Promise<boolean> {
  const deleted = await untilFirst(store, { place: { path, version: 0 }, signal }, async () => {
    const context = contextOf(store);
    const versions = await currentVersions(store, context, path).toArray({ signal });
    const [newest] = versions;
    if (newest === undefined || (only !== undefined && newest.version !== only.version)) return [];
    // A change since the copy would be lost.
    if (only !== undefined && metadataOf(newest) !== metadataOf(only)) throw contended(newest);
    // All of them, or an older version would become visible again.
    for (const version of versions) Object.assign(version, { state: "deleted", deletedAt: nowOf(store) });
    const isDeleted = await saveOnce(context, { place: newest, what: "the delete", signal });
    return isDeleted ? versions : undefined;
  });
  await closeVersions(store, deleted, signal);
  return deleted.length > 0;
}

const metadataOf = ({ metadata, updatedAt }: FileRow): string => JSON.stringify([metadata, updatedAt]);
