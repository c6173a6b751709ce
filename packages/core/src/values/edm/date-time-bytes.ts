import { type ByteWriter, type Constant, constantOf } from "./byte-writer.ts";
import { cursor, failed } from "./cursor.ts";

const [quote, hyphen, point, zero, colon, letterT, letterZ] = [0x22, 0x2d, 0x2e, 0x30, 0x3a, 0x54, 0x5a];

/** A day that was read, by its ten characters. */
interface Day {
  year: number;
  middle: number;
  last: number;
  ms: number;
}

/** Days repeat. Two are cached, since a row often has the dates of its creation and of its last change. */
const noDay = (): Day => ({ year: 0, middle: 0, last: 0, ms: Number.NaN });
let [recent, other] = [noDay(), noDay()];

/** The millisecond of a time in UTC with up to 7 fractional digits, in quotes. */
export function readDate(bytes: Uint8Array, view: DataView, from: number): number {
  cursor.at = failed;
  const isOfForm =
    bytes[from + 4] === hyphen &&
    bytes[from + 7] === hyphen &&
    bytes[from + 10] === letterT &&
    bytes[from + 13] === colon &&
    bytes[from + 16] === colon;
  if (!isOfForm) return 0;
  const day = dayAt(bytes, view, from);
  const hour = twoDigits(bytes, from + 11);
  const minute = twoDigits(bytes, from + 14);
  const second = twoDigits(bytes, from + 17);
  // NaN if a character is not a digit; NaN fails all of these comparisons.
  if (!(hour < 24 && minute < 60 && second < 60)) return 0;
  let at = from + 19;
  let fraction = 0;
  let ticks = 0;
  if (bytes[at] === point) {
    const first = ++at;
    for (
      let digit = (bytes[at] as number) - zero;
      digit >= 0 && digit <= 9;
      digit = (bytes[at] as number) - zero
    ) {
      const place = at - first;
      if (place < 3) fraction += digit * (milliseconds[place] as number);
      else ticks = ticks * 10 + digit;
      at++;
    }
    const places = at - first;
    if (places < 1 || places > 7) return 0;
    if (ticks !== 0 && (places < 7 || bytes[at] !== letterZ)) ticks = -1;
  }
  cursor.ticks = ticks;
  if (bytes[at] === letterZ) at++;
  const ms = day + (hour * 60 + minute) * 60_000 + second * 1000 + fraction;
  cursor.at = bytes[at] === quote && ms === ms ? at + 1 : failed;
  return ms;
}

const milliseconds = [100, 10, 1];

function dayAt(bytes: Uint8Array, view: DataView, from: number): number {
  const [year, middle, last] = [view.getInt32(from), view.getInt32(from + 4), view.getInt16(from + 8)];
  if (year === recent.year && middle === recent.middle && last === recent.last) return recent.ms;
  [recent, other] = [other, recent];
  if (year === recent.year && middle === recent.middle && last === recent.last) return recent.ms;
  recent.year = year;
  recent.middle = middle;
  recent.last = last;
  return (recent.ms = startOfDay(bytes, from));
}

function startOfDay(bytes: Uint8Array, from: number): number {
  const year = twoDigits(bytes, from) * 100 + twoDigits(bytes, from + 2);
  return dayOf(year, twoDigits(bytes, from + 5), twoDigits(bytes, from + 8)) * msPerDay;
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (monthLengths[month - 1] as number);
}

/**
 * Days since 1970-01-01 in the proleptic Gregorian calendar; NaN for a date that does not exist, or if a part is NaN.
 * Algorithm: Howard Hinnant, "days_from_civil".
 */
function dayOf(year: number, month: number, day: number): number {
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)))
    return Number.NaN;
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [(bytes[at] as number) - zero, (bytes[at + 1] as number) - zero];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** ISO 8601 with milliseconds and a Z, as `Date.toISOString` writes it. */
export function putDateTime(into: ByteWriter, ms: number): void {
  const day = Math.floor(ms / msPerDay);
  const rest = ms - day * msPerDay;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  into.constant(dateOf(day));
  into.reserve(14);
  const { buffer, length } = into;
  putTwoDigits(buffer, length, hours);
  buffer[length + 2] = colon;
  putTwoDigits(buffer, length + 3, minutes - hours * 60);
  buffer[length + 5] = colon;
  putTwoDigits(buffer, length + 6, seconds - minutes * 60);
  buffer[length + 8] = point;
  const fraction = rest - seconds * 1000;
  const tens = Math.floor(fraction / 10);
  putTwoDigits(buffer, length + 9, tens);
  buffer[length + 11] = zero + fraction - tens * 10;
  buffer[length + 12] = letterZ;
  buffer[length + 13] = quote;
  into.length = length + 14;
}

const msPerDay = 86_400_000;

function putTwoDigits(buffer: Buffer, at: number, value: number): void {
  const tens = Math.floor(value / 10);
  buffer[at] = zero + tens;
  buffer[at + 1] = zero + value - tens * 10;
}

/** The text of recently written dates, with the T after them, each in the slot of its day's lowest bits. */
const slots: { readonly day: number; readonly date: Constant }[] = [];

function dateOf(day: number): Constant {
  const slot = slots[day & 255];
  if (slot?.day === day) return slot.date;
  const date = constantOf(new Date(day * msPerDay).toISOString().slice(0, 11));
  slots[day & 255] = { day, date };
  return date;
}
