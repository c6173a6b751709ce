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
    `There is no file at ${JSON.stringify(path)}. Create it, or list what is there.`,
    {
      path,
    },
  );

export const closed = (place: VersionPlace): FileError =>
  new FileError(
    "file.closed",
    `${named(place)} takes no more blocks: the file was deleted, or a newer version took its place. Open the path again.`,
    { ...place },
  );

export const reclaimed = (place: VersionPlace): FileError =>
  new FileError(
    "file.reclaimed",
    `${named(place)} has been reclaimed, before or while it was used: its blocks are gone. Open the path again, or keep deleted versions for longer (zones: keepDeletedMs).`,
    { ...place },
  );

export const damaged = (place: VersionPlace, id: bigint, why: string): FileError =>
  new FileError(
    "file.damaged",
    `Block ${id} of version ${place.version} of ${JSON.stringify(place.path)} is not what was written: ${why}. Write it again, or delete it with deleteBlock(${id}n).`,
    { ...place, block: String(id) },
  );

export const full = (place: VersionPlace): FileError =>
  new FileError(
    "file.full",
    `${named(place)} has had its last block, 2^63 - 2. Copy it: the copy's blocks are counted from 0.`,
    { ...place },
  );

export const inDoubt = (place: VersionPlace, what: string, cause: unknown): FileError =>
  new FileError(
    "file.in-doubt",
    `Whether ${what} of version ${place.version} of ${JSON.stringify(place.path)} was carried out is not known: the store's answer was lost. Read what is there before it is tried again.`,
    { ...place },
    { cause },
  );

export const contended = (place: VersionPlace): FileError =>
  new FileError(
    "file.contended",
    `${named(place)} was changed by others each time it was to be written. Try again later, or let fewer programs write to one file.`,
    { ...place },
  );
