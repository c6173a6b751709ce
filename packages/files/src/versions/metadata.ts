import type { TableContext } from "@partita/core";
import { FileError } from "../errors/file-error.ts";
import { missing, type VersionPlace } from "../errors/file-errors.ts";
import { changedMetadata, type FileMetadata, timesOf } from "../rows/file-metadata.ts";
import type { FileRow } from "../rows/rows.ts";
import { contextOf, type FileStore, keepsReplaced, nowOf } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { attachVersion } from "./change-head.ts";
import type { FileInfo } from "./file-info.ts";
import { findHead, foundHead } from "./find-version.ts";
import { infoOf } from "./info-of.ts";

/** Changes metadata of a version. null deletes a member, and missing members don't change. */
export async function changeMetadata(
  store: FileStore,
  place: VersionPlace,
  changes: FileMetadata,
  signal: AbortSignal | undefined,
): Promise<FileInfo> {
  checkMetadata(changes);
  const { path, version } = place;
  return untilFirst(store, { place, signal }, async () => {
    const context = contextOf(store);
    const head = await findHead(store, context, path, signal);
    const isCurrent = head?.version === version;
    const row = isCurrent
      ? attachVersion(store, context, place)
      : await context.find(store.rows.FileRow, { path, version }, { signal });
    if (row === undefined) throw missing(path);
    const before = isCurrent ? head : row;
    const now = nowOf(store);
    keepMetadata(store, context, before as FileRow, now);
    const metadataTimes = timesOf(changes, now, before.metadataTimes);
    const metadata = changedMetadata(changes, before.metadata);
    const changed = { metadata, metadataTimes, updatedAt: now };
    Object.assign(row, changed);
    if (isCurrent) Object.assign(head, changed);
    const isSaved = await saveOnce(context, { place, what: "the change of metadata", signal });
    if (!isSaved) return undefined;
    return isCurrent ? foundHead(head)?.info : infoOf(row);
  });
}

/** Keeps metadata that are about to be replaced, in the same transaction. */
function keepMetadata(store: FileStore, context: TableContext, before: FileRow, now: Date): void {
  const { path, version, metadata, metadataTimes, updatedAt } = before;
  if (updatedAt >= now || !keepsReplaced(store, before)) return;
  const key = { path, version, replacedAtMs: now.getTime() };
  context.create(store.rows.OldMetadataRow, {
    ...key,
    updatedAt,
    ...(metadata && { metadata }),
    ...(metadataTimes && { metadataTimes }),
  });
}

/** @throws FileError `file.metadata` */
export function checkMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  if (!isObject)
    throw new FileError("file.metadata", 'Metadata must be an object, such as { author: "Ann" }.');
}
