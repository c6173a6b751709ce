import { amountOf } from "@partita/test-support/effort";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { Ticks } from "../../../src/index.ts";
import {
  bucket,
  day,
  type DerivedFormat,
  escaped,
  hashBits,
  hour,
  isoDate,
  leading,
  month,
  newestFirst,
  slices,
  week,
} from "../../../src/keys.ts";
import type { SourceCondition } from "../../../src/values/keys/derived-format.ts";
import { contains, intersect, type TextRange } from "../../../src/values/keys/text-range.ts";

const runs = amountOf({ short: 500, full: 1500, long: 300_000 });

// oxlint-disable-next-line typescript/no-explicit-any -- days as text are taken by some of them only
const formats: readonly DerivedFormat<any>[] = [
  month,
  week,
  day,
  hour,
  month(newestFirst),
  week(newestFirst),
  day(newestFirst),
  hour(newestFirst),
  isoDate("yyyy"),
  isoDate("yyyy-MM"),
  isoDate("yyyy-MM-dd"),
  isoDate("yyyy-MM-dd-HH"),
  isoDate("yyyy-MM-dd-HH-mm"),
  slices({ by: month(newestFirst) }, { months: [6, 7, 8], by: week(newestFirst) }),
  slices({ by: month }, { from: "2008-06", by: day }, { from: "2008-09", by: hour }),
  slices({ by: month(newestFirst) }, { from: "2008-10", by: [week(newestFirst), month(newestFirst)] }),
];

/** Times close to each other and to the turns of months and years, so that slices are shared and adjoin. */
const time = fc.oneof(
  fc.date({
    min: new Date("2008-05-20T00:00:00Z"),
    max: new Date("2008-11-10T00:00:00Z"),
    noInvalidDate: true,
  }),
  fc.constantFrom(
    ...["2008-06-01", "2008-06-08", "2008-09-01", "2009-01-01", "2008-12-31"].map((d) => new Date(d)),
  ),
  fc.constantFrom(
    ...["2008-05-31T23:59:59.999Z", "0001-01-01", "9999-12-31T23:59:59.999Z"].map((d) => new Date(d)),
  ),
);
const operand = fc.oneof(
  time,
  fc
    .tuple(time, fc.constantFrom(0n, 1n, 9_999n))
    .map(([at, extra]) => new Ticks(Ticks.fromDate(at).value + extra)),
);
const condition: fc.Arbitrary<SourceCondition> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constantFrom("eq", "ge", "gt", "le", "lt"), operand }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("in"), operands: fc.array(operand, { maxLength: 3 }) }),
  },
) as fc.Arbitrary<SourceCondition>;

const span = (value: unknown): [bigint, bigint] => {
  if (value instanceof Ticks) return [value.value, value.value];
  const first = Ticks.fromDate(value as Date).value;
  return [first, first + 9_999n];
};

function holds(each: SourceCondition, ticks: bigint): boolean {
  if (each.op === "in") return each.operands.some((value) => holds({ op: "eq", operand: value }, ticks));
  const [first, last] = span(each.operand);
  return {
    eq: ticks >= first && ticks <= last,
    ge: ticks >= first,
    gt: ticks > last,
    le: ticks <= last,
    lt: ticks < first,
  }[each.op];
}

describe.each(formats.map((format) => ({ format, name: format.format })))("$name", ({ format }) => {
  propertyTest.prop([operand, fc.array(condition, { maxLength: 3 })], { numRuns: runs })(
    "lists or covers every slice in which the conditions may hold, and no other",
    (value, conditions) => {
      const ticks = span(value)[0];
      const own = format.textsOf(value);
      const listed = format.texts(conditions);
      const satisfied = conditions.every((each) => holds(each, ticks));

      expect(own[0]).toBe(format.encode(value));
      for (const text of own) expect(format.encode(format.decode(text) as Date)).toBeDefined();
      if (satisfied && listed !== undefined) expect(listed).toEqual(expect.arrayContaining([...own]));
      if (listed !== undefined) expect(listed).toEqual([...new Set(listed)].toSorted());
      let range: TextRange | undefined = {};
      for (const each of conditions) {
        const narrowed = each.op === "in" ? {} : format.range(each.op, each.operand);
        range = narrowed === "nothing" || range === undefined ? undefined : intersect(range, narrowed ?? {});
      }
      if (satisfied) for (const text of own) expect(contains(range as TextRange, text)).toBe(true);
    },
  );

  propertyTest.prop([operand, operand], { numRuns: runs })(
    "keeps the order of time, slice by slice",
    (a, b) => {
      const [x, y] = [format.encode(a) as string, format.encode(b) as string];
      if (x === y) return;
      const isNewestFirst = format.format.includes("newestFirst");
      const order =
        format.textsOf(a).length === 1 && format.textsOf(b).length === 1
          ? span(a)[0] < span(b)[0]
          : undefined;
      if (order !== undefined) expect(x < y).toBe(isNewestFirst ? !order : order);
    },
  );
});

test("slices are the guidance's texts", () => {
  const at = new Date("2008-10-03T09:00:00Z");

  expect(month(newestFirst).encode(at)).toBe("7991_03");
  expect(day(newestFirst).encode(at)).toBe("7991_03_29");
  expect([week, day, hour].map((format) => format(newestFirst).encode(at))).toEqual([
    "7991_03_04",
    "7991_03_29",
    "7991_03_29_14",
  ]);
  expect([month, week, day, hour].map((format) => format.encode(at))).toEqual([
    "2008_10",
    "2008_10_01",
    "2008_10_03",
    "2008_10_03_09",
  ]);
});

test("less than a slice's start leaves that slice out", () => {
  const texts = month.texts([
    { op: "ge", operand: new Date("2008-08-15") },
    { op: "lt", operand: new Date("2008-10-01") },
  ]);

  expect(texts).toEqual(["2008_08", "2008_09"]);
});

test("above 64 slices, or with an open end, slices are a range", () => {
  const from = { op: "ge", operand: new Date("2008-01-01") } as const;

  expect(month.texts([from])).toBeUndefined();
  expect(month.texts([from, { op: "lt", operand: new Date("2013-05-01") }])).toHaveLength(64);
  expect(month.texts([from, { op: "le", operand: new Date("2013-05-01") }])).toBeUndefined();
  expect(month.range("ge", from.operand)).toEqual({ lower: { text: "2008_01", inclusive: true } });
  expect(month.texts([from, { op: "lt", operand: new Date("2008-01-01") }])).toEqual([]);
});

test("weeks begin anew with each month, over the turn of the year too", () => {
  expect(
    week.texts([
      { op: "ge", operand: new Date("2008-12-25") },
      { op: "le", operand: new Date("2009-01-08") },
    ]),
  ).toEqual(["2008_12_04", "2008_12_05", "2009_01_01", "2009_01_02"]);
});

test("months off season, weeks in season", () => {
  const season = slices({ by: month }, { months: [6, 7, 8], by: week });

  expect(
    season.texts([
      { op: "ge", operand: new Date("2008-05-10") },
      { op: "lt", operand: new Date("2008-06-20") },
    ]),
  ).toEqual(["2008_05", "2008_06_01", "2008_06_02", "2008_06_03"]);
});

test("rules that do not hold together are refused", () => {
  expect(() => slices({ from: "2008-01", by: month })).toThrow(/first rule without from/);
  expect(() => slices({ by: week }, { months: [6], by: day })).toThrow(/weeks or days/);
  expect(() => slices({ by: month }, { months: [6], by: week(newestFirst) })).toThrow(/one direction/);
  expect(() => slices({ by: month }, { from: "2008-13", by: week })).toThrow(/2009-06/);
  expect(() => slices({ by: month }, { months: [0], by: week })).toThrow(/1 to 12/);
});

propertyTest.prop([fc.oneof(fc.string(), fc.integer(), fc.bigInt(), time), fc.constantFrom(2, 8, 64)], {
  numRuns: runs,
})("a bucket is one of the listed ones, and equality says which", (value, count) => {
  const format = bucket(count);
  const text = format.encode(value) as string;

  expect(text).toMatch(new RegExp(`^[01]{${Math.log2(count)}}$`));
  expect(format.texts([])).toContain(text);
  expect(format.texts([{ op: "eq", operand: value }])).toEqual([text]);
  expect(format.texts([{ op: "in", operands: [value] }])).toEqual([text]);
});

test("buckets by the first bits of MD5, or the remainder", () => {
  expect(bucket(8).encode("")).toBe("110"); // d41d8cd9… is 1101 0100…
  expect(bucket(16).encode("")).toBe("1101");
  expect(bucket(10, { by: "modulo" }).encode(1234)).toBe("4");
  expect(bucket(10, { by: "modulo" }).encode(-1n)).toBe("9");
  expect(bucket(12, { by: "modulo" }).encode(11)).toBe("11");
  expect(bucket(12, { by: "modulo" }).encode(1.5)).toBeUndefined();
  expect(() => bucket(10)).toThrow(/power of two/);
});

/** Texts with few first characters, so that many share them; some characters are two units of UTF-16. */
const shortText = fc
  .array(fc.constantFrom("a", "b", "/", "\u{1f600}", "\uffff"), { maxLength: 4 })
  .map((characters) => characters.join(""));
const comparison = fc.record({
  op: fc.constantFrom("eq", "ge", "gt", "le", "lt", "startsWith"),
  operand: shortText,
});
const isHeld = { eq: 0, ge: 0, gt: 0, le: 0, lt: 0, startsWith: 0 };

function textHolds(op: keyof typeof isHeld, text: string, operand: string): boolean {
  if (op === "startsWith") return text.startsWith(operand);
  return {
    eq: text === operand,
    ge: text >= operand,
    gt: text > operand,
    le: text <= operand,
    lt: text < operand,
  }[op];
}

describe.each(
  [leading(1, escaped), leading(2, escaped), leading(3)].map((format) => ({ format, name: format.format })),
)("$name", ({ format }) => {
  propertyTest.prop(
    [shortText, fc.array(comparison, { maxLength: 3 }), fc.array(shortText, { maxLength: 2 })],
    {
      numRuns: runs,
    },
  )("covers every text in which the conditions may hold", (value, comparisons, list) => {
    const own = format.encode(value) as string;
    const conditions = [
      ...comparisons.filter(({ op }) => op !== "startsWith"),
      ...(list.length > 0 ? [{ op: "in", operands: list }] : []),
    ] as SourceCondition[];
    const isIn = list.length === 0 || list.includes(value);
    const listed = format.texts(conditions);

    expect(format.textsOf(value)).toEqual([own]);
    expect(format.encode(format.decode(own) as string)).toBe(own);
    const satisfied = comparisons.every(({ op, operand: o }) => textHolds(op as "eq", value, o));
    if (satisfied && isIn && listed !== undefined) expect(listed).toContain(own);
    for (const { op, operand: o } of comparisons)
      if (textHolds(op as "eq", value, o))
        expect(contains(format.range(op as "eq", o) as TextRange, own)).toBe(true);
  });
});

test("leading characters are whole, and a shorter text is all of it", () => {
  expect(leading(2).encode("ann")).toBe("an");
  expect(leading(2).encode("a")).toBe("a");
  expect(leading(1).encode("\u{1f600}b")).toBe("\u{1f600}");
  expect(leading(2).texts([{ op: "eq", operand: "ann" }])).toEqual(["an"]);
  expect(leading(2).texts([{ op: "ge", operand: "ann" }])).toBeUndefined();
  expect(leading(2).decode("ann")).toBeUndefined();
  for (const count of [0, 1.5, 513]) expect(() => leading(count)).toThrow(/whole number of characters/);
  expect(() => leading(2, day as never)).toThrow(/format of text/);
});

test("dates are cut at the pattern, and days as text up to the day", () => {
  const at = new Date("2026-11-25T10:30:59.999Z");

  expect(isoDate("yyyy").encode(at)).toBe("2026");
  expect(isoDate("yyyy-MM-dd-HH-mm").encode(at)).toBe("2026-11-25-10-30");
  expect(isoDate("yyyy-MM-dd").encode("2024-02-29")).toBe("2024-02-29");
  expect(isoDate("yyyy-MM").encode("2024-02-29")).toBe("2024-02");
  for (const text of ["2023-02-29", "0000-01-01", "2024-2-9", "x"])
    expect(isoDate("yyyy-MM-dd").encode(text)).toBeUndefined();
  expect(isoDate("yyyy-MM-dd-HH").encode("2024-02-29" as never)).toBeUndefined();
  expect(isoDate("yyyy-MM").decode("2024-13")).toBeUndefined();
  const february = [
    { op: "ge", operand: "2024-02-28" },
    { op: "lt", operand: "2024-03-01" },
  ] as const;
  expect(isoDate("yyyy-MM-dd").texts(february)).toEqual(["2024-02-28", "2024-02-29", "2024-03-01"]);
  expect(
    isoDate("yyyy").texts([
      { op: "ge", operand: new Date("9998-05-05") },
      { op: "le", operand: new Date("9999-01-01") },
    ]),
  ).toEqual(["9998", "9999"]);
  expect(() => isoDate("yyyy-MM-DD" as "yyyy")).toThrow(/takes one of "yyyy"/);
});

propertyTest.prop(
  [fc.oneof(fc.string(), fc.integer(), fc.bigInt(), time), fc.integer({ min: 1, max: 128 })],
  {
    numRuns: runs,
  },
)("buckets of any number of bits begin with those of fewer, and are the hash", (value, bits) => {
  const format = bucket({ bits });
  const text = format.encode(value) as string;

  expect(text).toBe(hashBits(value, bits));
  expect(hashBits(value, 128).startsWith(text)).toBe(true);
  expect(text).toMatch(new RegExp(`^[01]{${bits}}$`));
  if (bits > 1 && bits <= 12) expect(bucket(2 ** bits).encode(value)).toBe(text);
  expect(format.decode(text)).toBe(text);
  expect(
    format.texts([
      { op: "eq", operand: value },
      { op: "ge", operand: value },
    ]),
  ).toEqual([text]);
});

test("a bucket of more than 12 bits is listed by equality only", () => {
  expect(bucket({ bits: 20 }).texts([])).toBeUndefined();
  expect(bucket({ bits: 20 }).texts([{ op: "ge", operand: "a" }])).toBeUndefined();
  expect(bucket({ bits: 2 }).texts([])).toEqual(["00", "01", "10", "11"]);
  expect(bucket({ bits: 20 }).decode("2")).toBeUndefined();
  for (const bits of [0, 129, 1.5]) {
    expect(() => bucket({ bits })).toThrow(/from 1 to 128/);
    expect(() => hashBits("a", bits)).toThrow(/1 to 128 bits/);
  }
  expect(() => hashBits(Number.NaN, 4)).toThrow(/takes text/);
  expect(hashBits("ann", 4)).toBe("0111");
});
