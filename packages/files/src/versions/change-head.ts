import type { TableContext } from "@partita/core";
import { FileError } from "../errors/file-error.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import { markClosed } from "../blocks/read-state.ts";
import type { FileRow, HeadRow } from "../rows/rows.ts";
import type { FileStore } from "../store/file-store.ts";
import { maxVersion, placeOf } from "./find-version.ts";

// Changes of a head, which the caller saves with those of the version's row in one transaction. Each is made
// under the head's ETag, so rows of versions need not be read.

/** Gives a version its number. @throws FileError `file.version` */
export function addNumber(
  store: FileStore,
  context: TableContext,
  path: string,
  head: HeadRow | undefined,
): HeadRow {
  const newest = (head?.newest ?? 0) + 1;
  if (newest > maxVersion)
    throw new FileError(
      "file.version",
      `${JSON.stringify(path)} has reached the maximum of ${maxVersion} versions.`,
      { path },
    );
  if (head === undefined) return context.create(store.rows.HeadRow, { path, newest });
  head.newest = newest;
  return head;
}

/** Makes a version the current one. Call `endCurrent` before. */
export function setCurrent(head: HeadRow, row: FileRow): void {
  for (const name of attributes) Object.assign(head, { [name]: row[name] });
}

/** Deletes the current version, if there is one. @returns the version to close after the save */
export function endCurrent(
  store: FileStore,
  context: TableContext,
  head: HeadRow | undefined,
  deletedAt: Date,
): VersionPlace | undefined {
  const place = placeOf(head);
  if (head === undefined || place === undefined) return undefined;
  Object.assign(attachVersion(store, context, place), { state: "deleted", deletedAt });
  for (const name of attributes) head[name] = undefined;
  if (!place.isSmall) return place;
  markClosed(store, context, place);
  return undefined;
}

const attributes = [
  "version",
  "createdAt",
  "versionCreatedAt",
  "updatedAt",
  "isSmall",
  "contentType",
  "metadata",
  "metadataTimes",
] as const;

/** The row of a version, to be changed without reading it. */
export function attachVersion(
  { rows: { FileRow } }: FileStore,
  context: TableContext,
  { path, version }: VersionPlace,
): FileRow {
  return context.attach(new FileRow({ path, version } as never), "*");
}
