import { amountOf } from "@partita/test-support/effort";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { hostileText, legalKey } from "@partita/testing/arbitraries";
import { describe, expect, test } from "vitest";
import { guid, Ticks } from "../../../src/index.ts";
import {
  type AnyKeyFormat,
  constant,
  descending,
  escaped,
  newestFirst,
  oldestFirst,
  padded,
  padded64,
  ulid,
  verbatim,
} from "../../../src/keys.ts";
import { composeKey, type KeyTemplate, parseKey } from "../../../src/values/keys/key-template.ts";
import { comparable } from "../../../src/model/codec/decode-entity.ts";
import { keyRangeOfPart } from "../../../src/values/keys/key-range.ts";
import { ulidSource } from "../../../src/values/keys/ulid.ts";
import { contains, startingWith, successor, type TextRange } from "../../../src/values/keys/text-range.ts";

/** Cases for each law: as many as the prototypes had, in the long form. */
const runs = amountOf({ short: 500, full: 1500, long: 300_000 });

/** Text of all characters that an escape touches, and of their neighbours in order. */
const escapable = (): fc.Arbitrary<string> =>
  fc.oneof(
    hostileText(6),
    fc
      .array(
        fc.constantFrom(...Array.from('\u0000\u001f !"#$./0>?@[\\]|}~\u007e\u007f\u0080\u009f\u00a0A\uffff')),
        { maxLength: 4 },
      )
      .map((units) => units.join("")),
  );

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

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...Array.from("0123456789abcdef")), { minLength: length, maxLength: length })
    .map((d) => d.join(""));
const anyGuid = fc.tuple(hex(8), hex(4), hex(4), hex(4), hex(12)).map((groups) => groups.join("-"));
const anyUlid = fc
  .tuple(
    fc.constantFrom(...Array.from("01234567")),
    fc.array(fc.constantFrom(...Array.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ")), {
      minLength: 25,
      maxLength: 25,
    }),
  )
  .map(([first, rest]) => first + rest.join(""));

const cases: readonly FormatCase[] = [
  { format: verbatim, values: legalKey() },
  { format: escaped, values: escapable() },
  { format: constant("a:", escaped), values: escapable() },
  { format: padded(4, { signed: true }), values: fc.integer({ min: -5000, max: 4999 }) },
  { format: padded(6, { offset: 1234 }), values: fc.integer({ min: -1234, max: 998_765 }) },
  {
    format: padded64(20, { offset: 2n ** 63n }),
    values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  },
  { format: padded64(19, { signed: true }), values: fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }) },
  { format: descending(padded(4, { signed: true })), values: fc.integer({ min: -5000, max: 4999 }) },
  { format: guid, values: anyGuid },
  { format: ulid, values: anyUlid },
  { format: descending(guid), values: anyGuid },
  { format: descending(ulid), values: anyUlid },
  { format: descending(constant("B", padded(3))), values: fc.nat(999) },
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

describe.each(cases.map((c) => ({ ...c, name: c.format.format })))("$name", ({ format, values }) => {
  propertyTest.prop([values, values], { numRuns: runs })(
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
  expect(guid.decode("4185404A-5818-48C3-B9BE-F217DF0DBA6F")).toBeUndefined();
  expect(ulid.decode("8ZZZZZZZZZZZZZZZZZZZZZZZZZ")).toBeUndefined();
  for (const text of ["/", "?", "a\\", '"2', '"2a', '"41', "~~41", "~~7f", ".}a", "~", "\u0080"])
    expect([text, escaped.decode(text)]).toEqual([text, text === "~" ? "~" : undefined]);
});

test("escaped text stays readable", () => {
  for (const text of ["Channel9", "john.doe@example.com", "2008-10-03T09:00:00Z", "_id"])
    expect(escaped.encode(text)).toBe(text);
  expect(escaped.encode("a/b.txt")).toBe("a.~b.txt");
  expect(escaped.encode("New York")).toBe('New"20York');
  expect(escaped.encode("a.~b")).toBe("a.}~b");
});

test("new ULIDs rise, also within a millisecond and when the clock steps back", () => {
  const at = new Date("2026-01-01T00:00:00.000Z");
  // Other tests of this process may have made later ones by the source that all share.
  const next = ulidSource();
  const made = [next(at), next(at), next(new Date(at.getTime() - 1000)), next(new Date(at.getTime() + 1))];

  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(4);
  expect(made.map((text) => ulid.decode(text))).toEqual(made);
  expect(made[0]?.slice(0, 10)).toBe("01KDVDNA00");
  for (const at of [new Date(Number.NaN), "2026-01-01"])
    expect(() => ulid(at as Date)).toThrow(expect.objectContaining({ code: "key.invalid-time" }) as Error);
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

const escapedTemplate: KeyTemplate = {
  key: "RowKey",
  separator: "!",
  parts: [
    { property: "a", format: escaped },
    { property: "b", format: escaped },
    { property: "c", format: escaped },
  ],
};

propertyTest.prop(
  [fc.array(fc.tuple(escapable(), escapable(), escapable()), { minLength: 2, maxLength: 2 })],
  {
    numRuns: runs,
  },
)("keys of escaped parts sort as their parts do, read back, and are ranged exactly by each part", (pair) => {
  const [left, right] = pair.map(([a, b, c]) => composeKey(escapedTemplate, { a, b, c }, "T")) as [
    string,
    string,
  ];
  const [x, y] = pair as unknown as [string[], string[]];
  const differing = x.findIndex((part, i) => part !== y[i]);
  const order = differing < 0 ? 0 : (x[differing] as string) < (y[differing] as string) ? -1 : 1;

  expect(left < right ? -1 : left > right ? 1 : 0).toBe(order);
  expect(parseKey(escapedTemplate, left, "T")).toEqual(x);
  for (const [operator, holds] of Object.entries(textSatisfies)) {
    const part = escaped.range(operator as keyof typeof textSatisfies, y[1]) as TextRange;
    const prefix = `${escaped.encode(x[0] as string)}!`;
    const { range, isExact } = keyRangeOfPart(escapedTemplate, 1, prefix, part);
    expect(isExact).toBe(true);
    expect(contains(range, left)).toBe(holds(x[1] as string, y[1] as string));
  }
});

const textSatisfies = { ...satisfies, startsWith: (a: string, b: string) => a.startsWith(b) };

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
