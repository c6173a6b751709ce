import { FileError } from "../errors/file-error.ts";
import { missing, type VersionPlace } from "../errors/file-errors.ts";
import type { FileMetadata } from "../rows/file-metadata.ts";
import type { FileRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore, nowOf } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { fileKey } from "./find-version.ts";

/** Changes metadata of a version. null deletes a member, and missing members don't change. */
export async function changeMetadata(
  store: FileStore,
  place: VersionPlace,
  changes: FileMetadata,
  signal: AbortSignal | undefined,
): Promise<FileRow> {
  checkMetadata(changes);
  return untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const row = await context.find(store.rows.FileRow, fileKey(store, place), { signal });
    if (row === undefined || row.state === "reclaimed") throw missing(place.path);
    const kept = Object.entries({ ...row.metadata, ...changes }).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    row.metadata = Object.fromEntries(kept);
    row.updatedAt = nowOf(store);
    const isSaved = await saveOnce(context, { place, what: "the change of metadata", signal });
    return isSaved ? row : undefined;
  });
}

/** @throws FileError `file.metadata` */
export function checkMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  if (!isObject)
    throw new FileError("file.metadata", 'Metadata must be an object, such as { author: "Ann" }.');
}
