import { cursor } from "./cursor.ts";
import { readDate } from "./date-time-bytes.ts";

/** A parsed DateTime: whole milliseconds since 1970, and the digits below them. */
export interface DateTimeParts {
  readonly ms: number;
  /** Ticks of 100 ns below the millisecond: 0 to 9999. */
  readonly subMs: number;
}

/** Reads every form that `storedDateTime` takes; undefined for anything else. */
export function parseDateTime(text: string): DateTimeParts | undefined {
  const stored = storedDateTime(text);
  if (stored === undefined) return undefined;
  return { ms: millisecondsOf(stored), subMs: Number(stored.slice(20, -1).padEnd(7, "0").slice(3)) };
}

/**
 * Converts a time to its stored form: `2013-08-02T17:37:43.9004348Z`, in UTC, with the fractional digits it was written
 * with.
 *
 * It accepts a day, `2020-11-16`, alone or with a time to the minute, the second or up to 7 fractional digits. After
 * the time, there may be Z or an offset of at most 23:59; without them, the time is in UTC. Undefined for any other
 * text, and for days that do not exist. Source: learn.microsoft.com "Formatting DateTime values".
 */
export function storedDateTime(text: string): string | undefined {
  if (!Number.isNaN(millisecondsOf(text))) return text.endsWith("Z") ? text : `${text}Z`;
  const found = acceptedForm.exec(text);
  if (found === null) return undefined;
  const [, day = "", minutes = "00:00", seconds = "00", fraction = "", sign = "+", hours = "0", rest = "0"] =
    found;
  const offset = (Number(hours) * 60 + Number(rest)) * 60_000 * (sign === "-" ? -1 : 1);
  const ms = millisecondsOf(`${day}T${minutes}:${seconds}`) - offset;
  const isTime = ms >= firstMs && ms <= lastMs;
  return isTime ? `${formatDateTime(ms).slice(0, 19)}${fraction}Z` : undefined;
}

/** The accepted texts, for messages. */
export const dateTimeForms = "a date as ISO 8601 text, such as 2020-11-16 or 2020-11-16T04:25:03Z";

/** A time in plain data, as JSON Schema: the forms of RFC 3339, to the second or finer. */
export const dateTimeSchema = {
  type: "string",
  format: "date-time",
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,7})?(Z|[+-][0-9]{2}:[0-9]{2})$",
} as const;

/** A day; its time to the minute, the second or a fraction of it; an offset. */
const acceptedForm =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(\.\d{1,7})?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/;

/** The years 1 to 9999, which have four digits in ISO 8601. */
const [firstMs, lastMs] = [-62_135_596_800_000, 253_402_300_799_999];

/** The millisecond of a time in the stored layout, with or without the Z; NaN for any other text. */
export function millisecondsOf(text: string): number {
  const { length } = text;
  if (length < 19 || length > 28) return Number.NaN;
  let codes = 0;
  for (let i = 0; i < length; i++) codes |= scratch[i] = text.charCodeAt(i);
  scratch[length] = quote;
  const ms = readDate(scratch, view, 0);
  return codes < 0x80 && cursor.at === length + 1 ? ms : Number.NaN;
}

const quote = 0x22;
/** Text is read by the same code as bytes. Longer text than this layout is refused earlier. */
const scratch = new Uint8Array(32);
const view = new DataView(scratch.buffer);

/** Whether a text of the same layout has digits below the millisecond. */
export function hasFinerDigits(text: string): boolean {
  for (let i = 23; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x30 && code !== 0x5a) return true;
  }
  return false;
}

/** ISO 8601 with milliseconds and a Z. */
export const formatDateTime = (ms: number): string => new Date(ms).toISOString();

/** The text with exactly 7 fractional digits and a Z: equal times have equal text, and text order is time order. */
export function canonicalDateTime(text: string): string | undefined {
  const bare = storedDateTime(text)?.slice(0, -1);
  if (bare === undefined) return undefined;
  return bare.length === 19 ? `${bare}.0000000Z` : `${bare.padEnd(27, "0")}Z`;
}
