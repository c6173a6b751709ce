import { fc, test as propertyTest } from "@fast-check/vitest";
import { storableDate } from "@partita/testing/arbitraries";
import { expect, test } from "vitest";
import { isInMs, isSameMs, keepDate, keepTicks, restoreDate } from "../../../src/values/edm/snapshot-date.ts";

const [first, last] = [new Date(Date.UTC(1992, 5, 1)), new Date(Date.UTC(2047, 5, 1))];
const near = fc.date({ min: first, max: last, noInvalidDate: true });
const middle = Date.UTC(2020, 0, 1);
const ticks = fc.integer({ min: 1, max: 9999 });

const textOf = (date: Date, finer: number): string =>
  `${date.toISOString().slice(0, 23)}${String(finer).padStart(4, "0")}Z`;

test.each([first, last, new Date(middle), new Date(middle - 1), new Date(middle + 1)])(
  "keeps times of %s as numbers",
  (date) => {
    for (const finer of [1, 9999]) {
      const snapshotValue = keepDate(textOf(date, finer), date.getTime());
      expect(snapshotValue).toBeTypeOf("number");
      expect(isInMs(snapshotValue as number)).toBe(false);
      expect(restoreDate(snapshotValue as number)).toBe(textOf(date, finer));
    }
  },
);

propertyTest.prop([near, ticks], { numRuns: 2000 })(
  "keeps seven digits of the years around 2020 as a number that is no millisecond",
  (date, finer) => {
    const snapshotValue = keepDate(textOf(date, finer), date.getTime());

    expect(snapshotValue).toBe(keepTicks(date.getTime(), finer));
    expect(isInMs(snapshotValue as number)).toBe(false);
    expect(restoreDate(snapshotValue as number)).toBe(textOf(date, finer));
  },
);

propertyTest.prop([fc.oneof(near, storableDate()), ticks, fc.oneof(near, storableDate())], { numRuns: 2000 })(
  "keeps every digit of any year, and sees another millisecond",
  (date, finer, other) => {
    const ms = date.getTime();
    const snapshotValue = keepDate(textOf(date, finer), ms);
    if (typeof snapshotValue === "string") {
      expect(snapshotValue).toBe(textOf(date, finer));
      expect(keepTicks(ms, finer)).toBeNaN();
      return;
    }
    expect(restoreDate(snapshotValue)).toBe(textOf(date, finer));
    expect(isSameMs(snapshotValue, ms)).toBe(true);
    for (const changed of [ms - 1, ms + 1, other.getTime(), Number.NaN])
      expect(isSameMs(snapshotValue, changed)).toBe(changed === ms);
  },
);

propertyTest.prop([storableDate()])(
  "keeps a time without finer digits as milliseconds, and fewer than seven digits as text",
  (date) => {
    const ms = date.getTime();

    expect(keepDate(textOf(date, 0), ms)).toBe(ms);
    expect(keepDate(date.toISOString(), ms)).toBe(ms);
    expect(isInMs(ms)).toBe(true);
    for (const text of [textOf(date, 4300).replace("00Z", "Z"), textOf(date, 1).slice(0, -1)])
      expect(keepDate(text, ms)).toBe(text);
  },
);
