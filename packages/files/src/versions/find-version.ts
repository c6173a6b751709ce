import { isDate } from "@partita/core/internal";
import type { Query, TableContext } from "@partita/core";
import { FileError } from "../errors/file-error.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import type { FileRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";

type Signal = AbortSignal | undefined;

/** The key of a version's row. */
export const fileKey = (
  { zones }: FileStore,
  { path, version }: VersionPlace,
): VersionPlace & { readonly zone: string } => ({ zone: zones.of(path), path, version });

/** The versions of a path, newest first. */
export const versionsOf = (store: FileStore, context: TableContext, path: string): Query<FileRow> =>
  context.query(store.rows.FileRow).where({ zone: store.zones.of(path), path });

/**
 * The current versions: at most one, except while several programs create the same path. The newest takes
 * precedence.
 */
export const currentVersions = (store: FileStore, context: TableContext, path: string): Query<FileRow> =>
  versionsOf(store, context, path).where({ state: "current" });

/** The current version of a path. */
export function findCurrent(store: FileStore, path: string, signal: Signal): Promise<FileRow | undefined> {
  return currentVersions(store, contextOf(store), path).mergeOption("noTracking").first({ signal });
}

/**
 * A version by its number, if it was ever visible and is not reclaimed.
 *
 * @throws FileError `file.version` if the number is not valid
 */
export async function findVersion(
  store: FileStore,
  path: string,
  version: number,
  signal: Signal,
): Promise<FileRow | undefined> {
  checkVersion(version);
  const row = await contextOf(store).find(store.rows.FileRow, fileKey(store, { path, version }), { signal });
  return row !== undefined && isVisible(row) ? row : undefined;
}

/** The version that was current at a time, unless it is reclaimed. */
export async function findAt(
  store: FileStore,
  path: string,
  date: Date,
  signal: Signal,
): Promise<FileRow | undefined> {
  if (!isDate(date) || Number.isNaN(date.getTime()))
    throw new FileError("file.version", "at(path, date) takes a valid Date.");
  const versions = versionsOf(store, contextOf(store), path).mergeOption("noTracking");
  for await (const row of versions.stream({ signal })) {
    const isOver = row.deletedAt !== undefined && row.deletedAt <= date;
    if (isVisible(row) && row.versionCreatedAt <= date && !isOver) return row;
  }
  return undefined;
}

const isVisible = ({ state }: FileRow): boolean => state === "current" || state === "deleted";

function checkVersion(version: number): void {
  if (!Number.isInteger(version) || version < 1 || version > maxVersion)
    throw new FileError("file.version", `A version is a whole number from 1 to ${maxVersion}.`);
}

/** Versions are Int32. */
export const maxVersion: number = 2 ** 31 - 1;
