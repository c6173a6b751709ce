import { FileError } from "./file-error.ts";

/** One version of a file. */
export interface VersionName {
  readonly path: string;
  readonly version: number;
}

/** Where the rows of a version are. */
export interface VersionPlace extends VersionName {
  /** Whether they are in the partition of its name. */
  readonly isSmall: boolean;
}

/** Not more than the name: a row has content, too. */
const detailsOf = ({ path, version }: VersionName): VersionName => ({ path, version });

const named = ({ path, version }: VersionName): string => `Version ${version} of ${JSON.stringify(path)}`;

export const missing = (path: string): FileError =>
  new FileError(
    "file.missing",
    `There is no file at ${JSON.stringify(path)}. Create it, or list the existing files.`,
    {
      path,
    },
  );

export const closed = (place: VersionName): FileError =>
  new FileError(
    "file.closed",
    `${named(place)} accepts no more blocks: the file was deleted, or replaced by a newer version. Open the path again.`,
    { ...detailsOf(place) },
  );

export const reclaimed = (place: VersionName): FileError =>
  new FileError(
    "file.reclaimed",
    `${named(place)} has been reclaimed, and its blocks no longer exist. Open the path again, or keep deleted versions longer (zones: keepDeletedMs).`,
    { ...detailsOf(place) },
  );

export const damaged = (place: VersionName, id: bigint, why: string): FileError =>
  new FileError(
    "file.damaged",
    `Block ${id} of version ${place.version} of ${JSON.stringify(place.path)} is damaged: ${why}. Write it again, or delete it with deleteBlock(${id}n).`,
    { ...detailsOf(place), block: String(id) },
  );

export const full = (place: VersionName): FileError =>
  new FileError(
    "file.full",
    `${named(place)} has reached the last block id, 2^63 - 2. Copy the file: the copy's ids start at 0.`,
    { ...detailsOf(place) },
  );

export const inDoubt = (place: VersionName, what: string, cause: unknown): FileError =>
  new FileError(
    "file.in-doubt",
    `It is unknown whether ${what} of version ${place.version} of ${JSON.stringify(place.path)} was applied, because the response was lost. Read the file before you retry.`,
    { ...detailsOf(place) },
    { cause },
  );

export const contended = (place: VersionName): FileError =>
  new FileError(
    "file.contended",
    `${named(place)} was changed by other programs at every attempt to write it. Retry later, or let fewer programs write to one file.`,
    { ...detailsOf(place) },
  );

export const leaseLost = (place: VersionName, id: bigint): FileError =>
  new FileError(
    "file.lease-lost",
    `The lease of block ${id} has ended: another program has leased the block, or deleted it. Call leaseHead() again, for longer or with renew() in time.`,
    { ...detailsOf(place), block: String(id) },
  );
