import { StorageError } from "@partita/core";

/** The version of a row: its time in microseconds since 1970, and its number. Both are decimal texts. */
export interface RowVersion {
  readonly at: string;
  readonly version: string;
}

/**
 * The number alone would repeat after a database was restored from a backup. Together with the time, it doesn't.
 */
export const etagOf = ({ at, version }: RowVersion): string => `W/"${at}-${version}"`;

/**
 * Reads an ETag; undefined for `*`.
 *
 * @throws StorageError `storage.invalid-input` for text that is not an ETag
 */
export function versionOfEtag(etag: string): RowVersion | undefined {
  if (etag === "*") return undefined;
  const [, at, version] = (typeof etag === "string" && form.exec(etag)) || [];
  if (at !== undefined && version !== undefined) return { at, version };
  if (typeof etag !== "string" || !/^(W\/)?".*"$/.test(etag))
    throw StorageError.ofService("InvalidInput", "If-Match is not an ETag");
  return ofAnotherStore;
}

const form = /^W\/"(0|[1-9]\d{0,17})-(0|[1-9]\d{0,17})"$/;

/** No row has this version. */
const ofAnotherStore: RowVersion = { at: "-1", version: "-1" };

/** Microseconds since 1970 as an ISO 8601 text with 7 fractional digits. */
export function timestampOf(at: string): string {
  const micros = Number(at);
  const second = Math.floor(micros / 1_000_000);
  // Rows that were written together share it.
  if (second !== last.second) last = { second, text: new Date(second * 1000).toISOString().slice(0, 20) };
  return `${last.text}${String(micros - second * 1_000_000).padStart(6, "0")}0Z`;
}

let last = { second: Number.NaN, text: "" };
