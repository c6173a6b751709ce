import { fc, test as propertyTest } from "@fast-check/vitest";
import { hostileText, legalKey } from "@partita/testing";
import { describe, expect, test } from "vitest";
import {
  type AnyKeyFormat,
  constant,
  descending,
  newestFirst,
  oldestFirst,
  padded,
  padded64,
  Ticks,
  verbatim,
} from "../../src/index.ts";
import { composeKey, type KeyTemplate, parseKey } from "../../src/keys/key-template.ts";
import { comparable } from "../../src/materialize/decode-entity.ts";
import { contains, startingWith, successor } from "../../src/keys/text-range.ts";

interface FormatCase {
  readonly format: AnyKeyFormat;
  readonly values: fc.Arbitrary<unknown>;
}

const keyDate = fc.date({
  min: new Date("0001-01-01T00:00:00.000Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});
const ticks = fc.bigInt({ min: 0n, max: 3_155_378_975_999_999_999n }).map((value) => new Ticks(value));

const cases: readonly FormatCase[] = [
  { format: verbatim, values: legalKey() },
  { format: constant("BIB:", padded(5)), values: fc.nat(99_999) },
  { format: padded(1), values: fc.nat(9) },
  { format: padded(10), values: fc.nat({ max: 2 ** 31 - 1 }) },
  { format: padded(15), values: fc.maxSafeNat().map((n) => n % 10 ** 15) },
  { format: padded64(19), values: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) },
  { format: descending(padded(10)), values: fc.nat({ max: 2 ** 31 - 1 }) },
  { format: descending(padded64(19)), values: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) },
  { format: newestFirst, values: keyDate },
  { format: oldestFirst, values: keyDate },
  { format: newestFirst({ ticks: true }), values: ticks },
  { format: oldestFirst({ ticks: true }), values: ticks },
  { format: descending(oldestFirst), values: keyDate },
];

type Ordered = string | number | bigint;

const isDescending = ({ format }: AnyKeyFormat): boolean =>
  format.startsWith("newestFirst") || format.startsWith("descending");

const satisfies = {
  eq: (a: Ordered, b: Ordered) => a === b,
  gt: (a: Ordered, b: Ordered) => a > b,
  ge: (a: Ordered, b: Ordered) => a >= b,
  lt: (a: Ordered, b: Ordered) => a < b,
  le: (a: Ordered, b: Ordered) => a <= b,
} as const;

// 13 formats × 8,000 pairs: over 100,000 keys each way.
describe.each(cases.map((c) => ({ ...c, name: c.format.format })))("$name", ({ format, values }) => {
  propertyTest.prop([values, values], { numRuns: 8000 })(
    "round-trips, keeps order, and ranges hold exactly what compares so",
    (a, b) => {
      const [left, right] = [format.encode(a), format.encode(b)] as [string, string];
      const [x, y] = [comparable(a), comparable(b)] as [Ordered, Ordered];

      expect(comparable(format.decode(left))).toBe(x);
      if (format.width !== undefined) expect(left).toHaveLength(format.width);
      expect(left < right).toBe(isDescending(format) ? x > y : x < y);
      for (const [operator, holds] of Object.entries(satisfies)) {
        const range = format.range(operator as keyof typeof satisfies, b);
        expect(range !== undefined && range !== "nothing" && contains(range, left)).toBe(holds(x, y));
      }
    },
  );
});

test("2008-10-01T10:00:00Z newest first is 2521794455999999999", () => {
  expect(newestFirst.encode(new Date("2008-10-01T10:00:00Z"))).toBe("2521794455999999999");
});

test("formats read no text but their own", () => {
  expect(newestFirst.decode("2521794455999999998")).toBeUndefined();
  expect(oldestFirst.decode("0633585240000000001")).toBeUndefined();
  expect(newestFirst.decode("9999999999999999999")).toBeUndefined();
  expect(padded(5).decode("1234")).toBeUndefined();
  expect(padded(5).decode("1234 ")).toBeUndefined();
  expect(padded(5).decode("-1234")).toBeUndefined();
  expect(constant("BIB:", padded(5)).decode("bib:01234")).toBeUndefined();
});

test("a Date in a key of ticks means its whole millisecond", () => {
  const at = new Date("2008-10-01T10:00:00.123Z");
  const format = newestFirst({ ticks: true });
  const inside = format.encode(new Ticks(Ticks.fromDate(at).value + 9_999n)) as string;
  const after = format.encode(new Ticks(Ticks.fromDate(at).value + 10_000n)) as string;

  const eq = format.range("eq", at);
  const gt = format.range("gt", at);

  expect([eq, gt].map((range) => contains(range as object, inside))).toEqual([true, false]);
  expect([eq, gt].map((range) => contains(range as object, after))).toEqual([false, true]);
});

test("comparisons beyond a number's domain match all or nothing", () => {
  const format = padded(3);

  expect(format.range("ge", -5)).toEqual({});
  expect(format.range("lt", 1000)).toEqual({});
  expect(format.range("gt", 1000)).toBe("nothing");
  expect(format.range("eq", 1.5)).toBe("nothing");
  expect(format.range("eq", Number.NaN)).toBe("nothing");
  expect(format.range("gt", 1.5)).toEqual({ lower: { text: "002", inclusive: true } });
  expect(format.range("lt", 1.5)).toEqual({ upper: { text: "001", inclusive: true } });
});

propertyTest.prop([hostileText(4), hostileText(4)], { numRuns: 20_000 })(
  "a prefix range holds exactly the texts that begin so",
  (prefix, text) => {
    expect(contains(startingWith(prefix), text)).toBe(text.startsWith(prefix));
    expect(contains(startingWith(prefix), prefix + text)).toBe(true);
    expect(successor(prefix)?.isWellFormed() ?? true).toBe(true);
  },
);

const template: KeyTemplate = {
  key: "RowKey",
  separator: "__",
  parts: [
    { property: undefined, format: constant("Run") },
    { property: "bib", format: padded(4) },
    { property: "at", format: newestFirst },
    { property: "name", format: verbatim },
    { property: "city", format: verbatim },
  ],
};

propertyTest.prop([fc.record({ bib: fc.nat(9999), at: keyDate, name: legalKey(8), city: legalKey(8) })], {
  numRuns: 20_000,
})("a composed key reads back into its parts, or is refused", (values) => {
  let text: string;
  try {
    text = composeKey(template, values, "Runner");
  } catch (error) {
    expect(error).toMatchObject({ code: "key.contains-separator" });
    expect(`${values.name}__`.indexOf("__")).not.toBe(values.name.length);
    return;
  }
  expect(parseKey(template, text, "Runner")).toEqual([
    "Run",
    values.bib,
    values.at,
    values.name,
    values.city,
  ]);
});
