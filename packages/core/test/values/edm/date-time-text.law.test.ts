import { fc, test as propertyTest } from "@fast-check/vitest";
import { storableDate } from "@partita/testing/arbitraries";
import { expect, test } from "vitest";
import { canonicalDateTime, parseDateTime } from "../../../src/values/edm/date-time-text.ts";

propertyTest.prop([storableDate(), fc.nat(9999)], { numRuns: 2000 })(
  "reads 7 digits as milliseconds and a rest",
  (date, subMs) => {
    const text = `${date.toISOString().slice(0, 23)}${String(subMs).padStart(4, "0")}Z`;

    expect(parseDateTime(text)).toEqual({ ms: date.getTime(), subMs });
  },
);

test.each([
  ["2008-10-01T10:00:00Z", "2008-10-01T10:00:00.0000000Z"],
  ["2008-10-01T10:00:00", "2008-10-01T10:00:00.0000000Z"],
  ["2008-10-01T10:00:00.5Z", "2008-10-01T10:00:00.5000000Z"],
  ["2008-10-01T10:00:00.1234567Z", "2008-10-01T10:00:00.1234567Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.0000000Z"],
  ["2015-01-01T12:10", "2015-01-01T12:10:00.0000000Z"],
  ["2015-01-01T00:10:00.25+02:00", "2014-12-31T22:10:00.2500000Z"],
  ["2016-02-29", "2016-02-29T00:00:00.0000000Z"],
])("writes %s with 7 digits", (text, canonical) => {
  expect(canonicalDateTime(text)).toBe(canonical);
});

test.each([
  "",
  "2008",
  "2008-10",
  "0001-01-01T00:00+00:01",
  "9999-12-31T23:59-00:01",
  "2008-13-01T00:00:00Z",
  "2008-00-01T00:00:00Z",
  "2008-10-32T00:00:00Z",
  "2007-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2008-10-01T24:00:00Z",
  "2008-10-01T10:60:00Z",
  "2008-10-01T10:00:60Z",
  "2008-10-01T10:00:00.Z",
  "2008-10-01T10:00:00.12345678Z",
  "2008-10-01T10:00:00+24:00",
  "2008-10-01 12:10",
  "Thu, 01 Jan 2015 12:10:00 GMT",
  "1420114200",
  "+008-10-01T10:00:00Z",
  "2008-1O-01T10:00:00Z",
  "0000-01-01T00:00:00Z",
  "2008-10-01T10:00:00.12a",
])("refuses %j", (text) => {
  expect(parseDateTime(text)).toBeUndefined();
});
