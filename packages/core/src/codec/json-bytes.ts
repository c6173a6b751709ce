import { base64Digits, base64Of, base64OfKept } from "../edm/base64.ts";
import type { BytesInPlace } from "../edm/binary-in-place.ts";
import { packedLength } from "../edm/packed-bytes.ts";
import { formatDateTime } from "../edm/date-time-text.ts";
import type { Kept } from "../edm/serializer.ts";
import type { PropertyModel } from "../model/entity-model.ts";
import { type ByteWriter, type Constant, constantOf } from "../storage/byte-writer.ts";
import { printEntity, printJson } from "../storage/print-entity.ts";
import { restoreProperty } from "./snapshot.ts";

/*
 * What compiled code writes snapshot values with, as `printEntity` prints the stored values that they stand for. Each writes
 * the quote behind a text, too.
 */

/** Text, escaped. Its usual characters are written one by one: that takes half the time of a call that writes them all. */
export function putText(into: ByteWriter, text: string): void {
  const { length } = text;
  if (length > longLength) return putUnusual(into, text);
  into.reserve(3 * length + 1);
  const { buffer } = into;
  let at = into.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) {
      if (code < 0x20 || code === quote || code === backslash) return putUnusual(into, text);
      buffer[at++] = code;
    } else if (code < 0x800) {
      buffer[at++] = 0xc0 | (code >> 6);
      buffer[at++] = 0x80 | (code & 0x3f);
    } else if (isUnusual(code)) {
      return putUnusual(into, text);
    } else {
      buffer[at++] = 0xe0 | (code >> 12);
      buffer[at++] = 0x80 | ((code >> 6) & 0x3f);
      buffer[at++] = 0x80 | (code & 0x3f);
    }
  }
  buffer[at++] = quote;
  into.length = at;
}

/** Longer text is escaped and written by the runtime: its calls cost more, its characters less. */
const longLength = 400;

const [quote, backslash] = [0x22, 0x5c];

/** Half of a character beyond U+FFFF, or a separator of lines, which is escaped. */
const isUnusual = (code: number): boolean =>
  (code >= 0xd800 && code <= 0xdfff) || code === 0x2028 || code === 0x2029;

/** Whatever `putText` has written of it before is written over. */
const putUnusual = (into: ByteWriter, text: string): void => into.utf8(printJson(text).slice(1));

export const putBoolean = (into: ByteWriter, value: boolean): void => into.constant(value ? yes : no);

const yes = constantOf("true");
const no = constantOf("false");

export const putNumber = (into: ByteWriter, value: number): void => into.ascii(String(value));

export function putInt64(into: ByteWriter, value: bigint): void {
  into.ascii(value.toString());
  into.byte(quote);
}

/** ISO 8601 with milliseconds and a Z, as `formatDateTime` prints it. */
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
const [zero, colon, point, letterZ] = [0x30, 0x3a, 0x2e, 0x5a];

function putTwoDigits(buffer: Buffer, at: number, value: number): void {
  const tens = Math.floor(value / 10);
  buffer[at] = zero + tens;
  buffer[at + 1] = zero + value - tens * 10;
}

/** Dates that were written lately, with the T behind them, each in the slot of its day's last bits. */
const slots: { readonly day: number; readonly date: Constant }[] = [];

function dateOf(day: number): Constant {
  const slot = slots[day & 255];
  if (slot?.day === day) return slot.date;
  const date = constantOf(formatDateTime(day * msPerDay).slice(0, 11));
  slots[day & 255] = { day, date };
  return date;
}

/** @param bytes - a character for each, or themselves */
export function putBase64(into: ByteWriter, bytes: string | BytesInPlace): void {
  if (typeof bytes !== "string") return putLongBase64(into, bytes.sent);
  const { length } = bytes;
  if (length > longLength) return putLongBase64(into, bytes);
  into.reserve(4 * Math.ceil(length / 3) + 1);
  const { buffer } = into;
  let at = into.length;
  for (let i = 0; i < length; i += 3, at += 4) {
    const [hasSecond, hasThird] = [i + 1 < length, i + 2 < length];
    const second = hasSecond ? bytes.charCodeAt(i + 1) : 0;
    const third = hasThird ? bytes.charCodeAt(i + 2) : 0;
    const bits = (bytes.charCodeAt(i) << 16) | (second << 8) | third;
    buffer[at] = base64Digits[bits >> 18] as number;
    buffer[at + 1] = base64Digits[(bits >> 12) & 63] as number;
    buffer[at + 2] = hasSecond ? (base64Digits[(bits >> 6) & 63] as number) : padding;
    buffer[at + 3] = hasThird ? (base64Digits[bits & 63] as number) : padding;
  }
  buffer[at++] = quote;
  into.length = at;
}

function putLongBase64(into: ByteWriter, bytes: string | Uint8Array): void {
  if (into.isMeasuring) into.skip(4 * Math.ceil(bytes.length / 3));
  else if (into.takeBytes !== undefined && bytes.length >= packedLength) into.ascii(into.takeBytes(bytes));
  else into.ascii(typeof bytes === "string" ? base64OfKept(bytes) : base64Of(bytes));
  into.byte(quote);
}

const padding = 0x3d;

/** A whole property, whose snapshot value is of no usual form. */
export function putProperty(into: ByteWriter, property: PropertyModel, kept: Kept): void {
  const row = { PartitionKey: "", RowKey: "" };
  const head = JSON.stringify(row).length - 1;
  restoreProperty(property, kept, row);
  into.utf8(printEntity(row).slice(head, -1));
}
