import { FileError } from "./file-error.ts";

/** One version of a file. */
export interface VersionPlace {
  readonly path: string;
  readonly version: number;
}

const named = ({ path, version }: VersionPlace): string => `Version ${version} of ${JSON.stringify(path)}`;

export const missing = (path: string): FileError =>
  new FileError(
    "file.missing",
    `There is no file at ${JSON.stringify(path)}. Create it, or list the existing files.`,
    {
      path,
    },
  );

export const closed = (place: VersionPlace): FileError =>
  new FileError(
    "file.closed",
    `${named(place)} accepts no more blocks: the file was deleted, or replaced by a newer version. Open the path again.`,
    { ...place },
  );

export const reclaimed = (place: VersionPlace): FileError =>
  new FileError(
    "file.reclaimed",
    `${named(place)} has been reclaimed, and its blocks no longer exist. Open the path again, or keep deleted versions longer (zones: keepDeletedMs).`,
    { ...place },
  );

export const damaged = (place: VersionPlace, id: bigint, why: string): FileError =>
  new FileError(
    "file.damaged",
    `Block ${id} of version ${place.version} of ${JSON.stringify(place.path)} is damaged: ${why}. Write it again, or delete it with deleteBlock(${id}n).`,
    { ...place, block: String(id) },
  );

export const full = (place: VersionPlace): FileError =>
  new FileError(
    "file.full",
    `${named(place)} has reached the last block id, 2^63 - 2. Copy the file: the copy's ids start at 0.`,
    { ...place },
  );

export const inDoubt = (place: VersionPlace, what: string, cause: unknown): FileError =>
  new FileError(
    "file.in-doubt",
    `It is unknown whether ${what} of version ${place.version} of ${JSON.stringify(place.path)} was applied, because the response was lost. Read the file before you retry.`,
    { ...place },
    { cause },
  );

export const contended = (place: VersionPlace): FileError =>
  new FileError(
    "file.contended",
    `${named(place)} was changed by other programs at every attempt to write it. Retry later, or let fewer programs write to one file.`,
    { ...place },
  );
