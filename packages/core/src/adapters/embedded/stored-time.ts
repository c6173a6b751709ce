import { formatDateTime, parseDateTime } from "../../edm/date-time-text.ts";

/** Microseconds since 1970 as an ISO 8601 text of 7 fractional digits: the Timestamp of an entity. */
export function timestampOf(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return `${formatDateTime(ms).slice(0, 23)}${String(micros - ms * 1000).padStart(3, "0")}0Z`;
}

/**
 * The ETag in the service's form: weak, the Timestamp with its colons percent-encoded. Joined, which makes one string:
 * a text of many pieces would be kept in pieces by every entity that remembers it.
 */
export const etagOf = (timestamp: string): string =>
  [
    `W/"datetime'`,
    timestamp.slice(0, 13),
    "%3A",
    timestamp.slice(14, 16),
    "%3A",
    timestamp.slice(17),
    `'"`,
  ].join("");

const form = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{7}Z)'"$/;

/** The microseconds an ETag names; undefined for text that is no ETag of this store's form. */
export function microsOfEtag(etag: string): number | undefined {
  const text = form.exec(etag)?.[1];
  const parts = text === undefined ? undefined : parseDateTime(text.replaceAll("%3A", ":"));
  return parts === undefined ? undefined : parts.ms * 1000 + parts.subMs / 10;
}
