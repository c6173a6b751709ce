import { formatDateTime, parseDateTime } from "../../edm/date-time-text.ts";

/** The beginnings of both texts for the last millisecond asked for: rows written together share it. */
let last = { ms: Number.NaN, timestamp: "", etag: "" };

/** Microseconds since 1970 as an ISO 8601 text of 7 fractional digits: the Timestamp of an entity. */
export function timestampOf(micros: number): string {
  const { timestamp, ms } = beginningsOf(micros);
  return timestamp + digitsOf(micros - ms * 1000);
}

/**
 * The ETag in the service's form: weak, the Timestamp with its colons percent-encoded. Joined, which makes one string:
 * a text of pieces would be kept in pieces by every entity that remembers it.
 */
export function etagOf(micros: number): string {
  const { etag, ms } = beginningsOf(micros);
  return [etag, digitsOf(micros - ms * 1000), `'"`].join("");
}

function beginningsOf(micros: number): typeof last {
  const ms = Math.floor(micros / 1000);
  if (ms !== last.ms) {
    const timestamp = formatDateTime(ms).slice(0, 23);
    last = { ms, timestamp, etag: `W/"datetime'${timestamp.replaceAll(":", "%3A")}` };
  }
  return last;
}

/** What follows the millisecond. */
const digitsOf = (micros: number): string => `${String(micros).padStart(3, "0")}0Z`;

const form = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{7}Z)'"$/;

/** The microseconds an ETag names; undefined for text that is no ETag of this store's form. */
export function microsOfEtag(etag: string): number | undefined {
  const text = form.exec(etag)?.[1];
  const parts = text === undefined ? undefined : parseDateTime(text.replaceAll("%3A", ":"));
  return parts === undefined ? undefined : parts.ms * 1000 + parts.subMs / 10;
}
