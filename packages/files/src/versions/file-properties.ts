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
export function propertiesOf({ metadata, metadataTimes }: FileInfo, range: NameRange): FileProperty[] {
  checkNames(range);
  const { from = "", to } = range;
  return Object.entries(metadataTimes)
    .filter(([name]) => name >= from && (to === undefined || name < to))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, setAt]) => ({ name, value: metadata[name], setAt }));
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
