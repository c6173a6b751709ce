import { isDate } from "@partita/core/internal";
import type { Query, TableContext } from "@partita/core";
import { FileError } from "../errors/file-error.ts";
import type { VersionPlace } from "../errors/file-errors.ts";
import type { FileRow, HeadRow } from "../rows/rows.ts";
import { contextOf, type FileStore, keepsReplaced } from "../store/file-store.ts";
import type { FileInfo } from "./file-info.ts";
import { datesOf, infoOf } from "./info-of.ts";

type Signal = AbortSignal | undefined;

/** A version that can be read: its attributes, and where its rows are. */
export interface FoundVersion {
  readonly place: VersionPlace;
  readonly info: FileInfo;
  /** The time at which it is read. By default now. */
  readonly asOf?: Date;
}

/** The versions of a path, newest first. */
export const versionsOf = (store: FileStore, context: TableContext, path: string): Query<FileRow> =>
  context.query(store.rows.FileRow).where({ path });

/** The head of a path, tracked. Undefined if the path never had a version. */
export const findHead = (
  store: FileStore,
  context: TableContext,
  path: string,
  signal: Signal,
): Promise<HeadRow | undefined> => context.find(store.rows.HeadRow, { path }, { signal });

/** Where the rows of the current version are. Undefined if the file is deleted. */
export const placeOf = (head: HeadRow | undefined): VersionPlace | undefined =>
  head?.version === undefined
    ? undefined
    : { path: head.path, version: head.version, isSmall: head.isSmall === true };

/** The current version of a path. */
export async function findCurrent(
  store: FileStore,
  path: string,
  signal: Signal,
): Promise<FoundVersion | undefined> {
  return foundHead(await findHead(store, contextOf(store), path, signal));
}

/** The current version that a head names. */
export function foundHead(head: HeadRow | undefined): FoundVersion | undefined {
  const place = placeOf(head);
  if (head === undefined || place === undefined) return undefined;
  // Its attributes are there together with the number of its version.
  const info = infoOf(head as unknown as FileRow);
  return { place, info: { ...info, state: "current", deletedAt: undefined } };
}

const found = (row: FileRow): FoundVersion => ({
  place: { path: row.path, version: row.version, isSmall: row.isSmall },
  info: infoOf(row),
});

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
): Promise<FoundVersion | undefined> {
  checkVersion(version);
  const row = await contextOf(store).find(store.rows.FileRow, { path, version }, { signal });
  return row !== undefined && row.state !== "writing" ? found(row) : undefined;
}

/** The version that was current at a time, unless it is reclaimed. */
export async function findAt(
  store: FileStore,
  path: string,
  date: Date,
  signal: Signal,
): Promise<FoundVersion | undefined> {
  if (!isDate(date) || Number.isNaN(date.getTime()))
    throw new FileError("file.version", "at(path, date) takes a valid Date.");
  const versions = versionsOf(store, contextOf(store), path)
    .where((row) => row.versionCreatedAt.le(date))
    .mergeOption("noTracking");
  // The first is the one, unless several were written concurrently.
  for await (const { entities } of versions.pages({ size: 10, signal }))
    for (const row of entities) {
      const isOver = row.deletedAt !== undefined && row.deletedAt <= date;
      if (row.state !== "writing" && !isOver) return versionAt(store, found(row), new Date(date), signal);
    }
  return undefined;
}

/** A version with its metadata as of a time. */
async function versionAt(
  store: FileStore,
  { place, info }: FoundVersion,
  asOf: Date,
  signal: Signal,
): Promise<FoundVersion> {
  const { path, version } = place;
  const replaced = keepsReplaced(store, place)
    ? await contextOf(store)
        .query(store.rows.OldMetadataRow)
        .where((row) => [row.path.eq(path), row.version.eq(version), row.replacedAtMs.gt(asOf.getTime())])
        .first({ signal })
    : undefined;
  if (replaced === undefined) return { place, info, asOf };
  const { metadata = {}, updatedAt } = replaced;
  const metadataTimes = datesOf(replaced.metadataTimes);
  return { place, info: { ...info, metadata, metadataTimes, updatedAt }, asOf };
}

function checkVersion(version: number): void {
  if (!Number.isInteger(version) || version < 1 || version > maxVersion)
    throw new FileError("file.version", `A version is a whole number from 1 to ${maxVersion}.`);
}

/** Versions are Int32. */
export const maxVersion: number = 2 ** 31 - 1;
