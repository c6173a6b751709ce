import { closeVersion } from "../blocks/read-state.ts";
import { contended } from "../errors/file-errors.ts";
import { contextOf, type FileStore, nowOf } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { endCurrent } from "./change-head.ts";
import { findHead, type FoundVersion, foundHead } from "./find-version.ts";

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
  only?: FoundVersion,
): Promise<boolean> {
  const deleted = await untilFirst(store, { place: { path, version: 0 }, signal }, async () => {
    const context = contextOf(store);
    const head = await findHead(store, context, path, signal);
    const current = foundHead(head);
    if (current === undefined) return { isDeleted: false };
    const { place } = current;
    if (only !== undefined && place.version !== only.place.version) return { isDeleted: false };
    // A change since the copy would be lost.
    if (only !== undefined && metadataOf(current) !== metadataOf(only)) throw contended(place);
    const ended = endCurrent(store, context, head, nowOf(store));
    const isDeleted = await saveOnce(context, { place, what: "the delete", signal });
    return isDeleted ? { isDeleted, ended } : undefined;
  });
  if (deleted.ended !== undefined) await closeVersion(store, deleted.ended, signal);
  return deleted.isDeleted;
}

const metadataOf = ({ info }: FoundVersion): string => JSON.stringify([info.metadata, info.updatedAt]);
