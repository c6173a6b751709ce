/** The beginnings of both texts for the last millisecond asked for: rows written together share it. */
let last = { ms: Number.NaN, timestamp: "", etag: "" };

/** Microseconds since 1970 as an ISO 8601 text of 7 fractional digits: the Timestamp of an entity. */
export function timestampOf(micros: number): string {
  const { timestamp, ms } = beginningsOf(micros);
  return `${timestamp}${String(micros - ms * 1000).padStart(3, "0")}0Z`;
}

/**
 * The ETag in the service's form: weak, the Timestamp with its colons percent-encoded. Joined, which makes one string:
 * a text of pieces would be kept in pieces by every entity that remembers it.
 */
export function etagOf(micros: number): string {
  const { etag, ms } = beginningsOf(micros);
  return [etag, String(micros - ms * 1000).padStart(3, "0"), `0Z'"`].join("");
}

function beginningsOf(micros: number): typeof last {
  const ms = Math.floor(micros / 1000);
  if (ms !== last.ms) {
    const timestamp = new Date(ms).toISOString().slice(0, 23);
    last = { ms, timestamp, etag: `W/"datetime'${timestamp.replaceAll(":", "%3A")}` };
  }
  return last;
}

const form = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{3})(\d{3})0Z'"$/;

/** The microseconds an ETag names; undefined for text that is no ETag of this store's form. */
export function microsOfEtag(etag: string): number | undefined {
  const [, time, digits] = form.exec(etag) ?? [];
  if (time === undefined) return undefined;
  const micros = Date.parse(`${time.replaceAll("%3A", ":")}Z`) * 1000 + Number(digits);
  // A day that no month has, such as February 30, reads as one of the next month.
  return Number.isSafeInteger(micros) && etagOf(micros) === etag ? micros : undefined;
}
