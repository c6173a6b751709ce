import { FileError } from "../errors/file-error.ts";
import type { FileInfo } from "./file-info.ts";

/** A member of a file's metadata. */
export interface FileProperty {
  readonly name: string;
  /** Any JSON value but null. */
  readonly value: unknown;
  /** The time when it was last set. */
  readonly setAt: Date;
}

/** A range of names, in UTF-16 order. All names by default. */
export interface NameRange {
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
}

/** @throws FileError `file.metadata` */
export function propertiesOf(
  { metadata, metadataTimes, versionCreatedAt }: FileInfo,
  range: NameRange,
): FileProperty[] {
  checkNames(range);
  const { from = "", to } = range;
  return Object.keys(metadata)
    .filter((name) => name >= from && (to === undefined || name < to))
    .toSorted()
    .map((name) => ({ name, value: metadata[name], setAt: metadataTimes[name] ?? versionCreatedAt }));
}

function checkNames(range: NameRange | null): void {
  const { from = "", to = "" } = range ?? {};
  if (typeof range === "object" && range !== null && typeof from === "string" && typeof to === "string")
    return;
  throw new FileError(
    "file.metadata",
    'properties(range) takes names of metadata, such as { from: "exif.", to: "exif/" }.',
  );
}
