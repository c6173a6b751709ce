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
 * A time as it is stored: `2013-08-02T17:37:43.9004348Z`, in UTC, with the fractional digits that were written.
 *
 * It takes a day, `2020-11-16`, alone or with a time to the minute, the second or up to 7 fractional digits; after the time
 * Z, an offset of at most 23:59, or neither, which is UTC. Undefined for anything else, and for days that do not exist.
 * Source: learn.microsoft.com "Formatting DateTime values".
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

/** What text says a time, for messages. */
export const dateTimeForms = "a date as ISO 8601 text, such as 2020-11-16 or 2020-11-16T04:25:03Z";

/** A day; its time to the minute, the second or a fraction of it; an offset. */
const acceptedForm =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(\.\d{1,7})?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/;

/** The years 1 to 9999, which ISO 8601 has four digits for. */
const [firstMs, lastMs] = [-62_135_596_800_000, 253_402_300_799_999];

/** The millisecond of a time in the stored layout, with or without the Z; NaN for any other text. */
export function millisecondsOf(text: string): number {
  const length = text.length;
  if (
    length < 19 ||
    length > 28 ||
    text.charCodeAt(4) !== dash ||
    text.charCodeAt(7) !== dash ||
    text.charCodeAt(10) !== letterT ||
    text.charCodeAt(13) !== colon ||
    text.charCodeAt(16) !== colon
  )
    return Number.NaN;

  const day = dayOf(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8));
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // A NaN from a character that is no digit fails every one of these.
  if (!(hour < 24 && minute < 60 && second < 60)) return Number.NaN;

  const end = text.charCodeAt(length - 1) === letterZ ? length - 1 : length;
  const fraction = end === 19 ? 0 : millisecondsOfFraction(text, end);
  return ((day * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction;
}

/** The first three fractional digits; NaN where the point, their number or a digit is wrong. */
function millisecondsOfFraction(text: string, end: number): number {
  const places = end - 20;
  if (text.charCodeAt(19) !== point || places < 1 || places > 7) return Number.NaN;
  let value = 0;
  for (let i = 20; i < 23; i++) value = value * 10 + (i < end ? digit(text, i) : 0);
  for (let i = 23; i < end; i++) if (Number.isNaN(digit(text, i))) return Number.NaN;
  return value;
}

/** Whether a text of the same layout has digits below the millisecond. */
export function hasFinerDigits(text: string): boolean {
  for (let i = 23; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 48 && code !== letterZ) return true;
  }
  return false;
}

/** ISO 8601 with milliseconds and a Z, as `Date.toISOString` writes it: a quarter of its time, since days repeat. */
export function formatDateTime(ms: number): string {
  const day = Math.floor(ms / msPerDay);
  const rest = ms - day * msPerDay;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const fraction = String(rest - seconds * 1000 + 1000).slice(1);
  return `${dateOf(day)}T${two[hours]}:${two[minutes - hours * 60]}:${two[seconds - minutes * 60]}.${fraction}Z`;
}

const msPerDay = 86_400_000;
const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/** Days that were formatted lately, each in the slot of its number's last bits. */
const slots: { readonly day: number; readonly text: string }[] = [];

function dateOf(day: number): string {
  const slot = slots[day & 255];
  if (slot?.day === day) return slot.text;
  const text = new Date(day * msPerDay).toISOString().slice(0, 10);
  slots[day & 255] = { day, text };
  return text;
}

/** The text with exactly 7 fractional digits and a Z, so that equal times have equal text and order as text. */
export function canonicalDateTime(text: string): string | undefined {
  const bare = storedDateTime(text)?.slice(0, -1);
  if (bare === undefined) return undefined;
  return bare.length === 19 ? `${bare}.0000000Z` : `${bare.padEnd(27, "0")}Z`;
}

const dash = 45;
const colon = 58;
const point = 46;
const letterT = 84;
const letterZ = 90;

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (monthLengths[month - 1] as number);
}

/**
 * Days since 1970-01-01 in the proleptic Gregorian calendar; NaN for a date that does not exist, and for one of NaNs.
 * Algorithm: Howard Hinnant, "days_from_civil".
 */
export function dayOf(year: number, month: number, day: number): number {
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)))
    return Number.NaN;
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
