import { expect, test } from "vitest";
import { putBase64 } from "../../../src/values/edm/binary.ts";
import { putDateTime } from "../../../src/values/edm/date-time-bytes.ts";
import { putText } from "../../../src/values/edm/string.ts";
import { ByteWriter } from "../../../src/values/edm/byte-writer.ts";
import { printJson } from "../../../src/values/edm/print-entity.ts";

const written = (write: (into: ByteWriter) => void): string => ByteWriter.write(write).toString();

/** Each character that may need an escape or more than one byte, between others, in short texts and in long ones. */
const characters = [
  ...Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)),
  ...Array.from("\u07ff\u0800\ud7ff\ue000\uffff\u2027\u2028\u2029\u202a\u{10000}\u{10ffff}"),
  "\ud800",
  "\udfff",
  "\udc00\ud800",
];

test.each([1, 500])("texts of %i repeated characters are written as JSON", (times) => {
  const texts = characters.map((each) => `a${each}`.repeat(times));
  const found = texts.map((text) => written((into) => putText(into, text)));
  expect(found).toEqual(texts.map((text) => printJson(text).slice(1)));
});

test("what was written before a character that is escaped is not written twice", () => {
  expect(written((into) => putText(into, 'before "quotes"'))).toBe(String.raw`before \"quotes\""`);
});

test("dates are written in ISO 8601 with milliseconds, before 1970 as well", () => {
  const times = [0, 1, -1, 86_399_999, 86_400_000, -86_400_001, 951_782_400_000, -11_644_473_600_000];
  const found = times.map((ms) => written((into) => putDateTime(into, ms)));
  expect(found).toEqual(times.map((ms) => `${new Date(ms).toISOString()}"`));
});

test.each([0, 1, 2, 3, 4, 399, 400, 401])("%i bytes are written in Base64", (length) => {
  const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 83) % 256));
  expect(written((into) => putBase64(into, bytes.toString("latin1")))).toBe(`${bytes.toString("base64")}"`);
});
