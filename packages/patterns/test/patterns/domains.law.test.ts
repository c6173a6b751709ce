import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import {
  anyBoolean,
  anyDate,
  anyGuid,
  anyInt64,
  anyInteger,
  anyNumber,
  anyOf,
  anyText,
  cornerCases,
  type Domain,
  listOf,
  momentsOf,
  optional,
  withinDays,
} from "../../src/index.ts";

const text = fc.tuple(fc.nat(40), fc.nat(1_500)).map(([min, more]) => anyText({ min, max: min + more }));
const integer = fc.tuple(fc.integer(), fc.nat()).map(([min, more]) => anyInteger({ min, max: min + more }));
const simple: fc.Arbitrary<Domain> = fc.oneof(
  text,
  integer,
  fc.constantFrom<Domain>(
    anyText(),
    anyInteger(),
    anyInt64(),
    anyNumber(),
    anyBoolean(),
    anyGuid(),
    anyDate(),
  ),
  fc
    .tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true }))
    .filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b))
    .map(([a, b]): Domain => anyNumber({ min: Math.min(a, b), max: Math.max(a, b) })),
  fc.bigInt({ min: -(2n ** 63n), max: 0n }).map((min): Domain => anyInt64({ min, max: min + 5n })),
  fc.integer({ min: 1, max: 2_000 }).map((days): Domain => withinDays(days / 7)),
  fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 20 }).map((values): Domain => anyOf(values)),
);
const domain: fc.Arbitrary<Domain> = fc.oneof(
  simple,
  simple.map((each): Domain => optional(each)),
  fc
    .tuple(simple, fc.nat(5), fc.nat(30))
    .map(([each, min, more]): Domain => listOf(each, { min, max: min + more + 1 })),
);

const setting = { now: Date.UTC(2026, 2, 1), separators: ["_", "::"] };

propertyTest.prop([domain, fc.nat(40)], { numRuns: 500 })(
  "corners and values that lie apart are of their domain, and differ",
  (each, count) => {
    const corners = each.corners(setting);
    const apart = each.spread(count, setting);

    expect(corners.length).toBeGreaterThan(0);
    for (const value of [...corners, ...apart, ...(each.values ?? [])])
      expect(each.accepts(value, setting), `${each.takes}: ${String(value)}`).toBe(true);
    expect(apart.length).toBeLessThanOrEqual(count);
    if (each.form.type !== "list") expect(new Set(apart.map(String)).size).toBe(apart.length);
  },
);

propertyTest.prop([fc.array(domain, { maxLength: 5 }), fc.integer({ min: 1, max: 300 })], { numRuns: 60 })(
  "combinations of corners are all there, or as many as are wanted, with every listed value",
  (domains, most) => {
    const parameters = Object.fromEntries(domains.map((each, i) => [`p${i}`, each]));
    const cases = cornerCases(parameters, setting, most);
    const product = domains.reduce((all, each) => all * each.corners(setting).length, 1);

    expect(cases.length).toBeGreaterThanOrEqual(Math.min(product, most));
    for (const values of cases) expect(Object.keys(values)).toEqual(Object.keys(parameters));
    for (const [name, { values = [] }] of Object.entries(parameters)) {
      const seen = new Set(cases.map((each) => each[name]));
      expect(values.every((value) => seen.has(value))).toBe(true);
    }
    expect(cornerCases(parameters, setting, most)).toEqual(cases);
  },
);

test("values outside of a domain are not accepted", () => {
  const refuses = (each: Domain, ...values: unknown[]): void => {
    for (const value of values) expect(each.accepts(value, setting)).toBe(false);
  };

  refuses(anyText({ min: 1, max: 3 }), "", "abcd", "\ud800", 7, undefined);
  refuses(anyInteger({ min: 0, max: 9 }), -1, 10, 1.5, 3n, Number.NaN);
  refuses(anyInt64(), 1, 2n ** 63n);
  refuses(anyNumber(), Number.NaN, Number.POSITIVE_INFINITY, "1");
  refuses(anyDate({ min: new Date(0) }), new Date(-1), new Date(Number.NaN), 5);
  refuses(anyGuid(), "no guid", 5);
  refuses(anyOf(["a", 1]), "b", "1", true);
  refuses(listOf(anyInteger(), { min: 1, max: 2 }), [], [1, 2, 3], ["1"], 1);
  refuses(withinDays(1), new Date(setting.now + 1), new Date(setting.now - 86_400_001));
  expect(optional(anyInteger()).accepts(undefined, setting)).toBe(true);
});

test("months of a leap year and of others are among the moments that count as now", () => {
  const moments = momentsOf({ since: optional(listOf(withinDays(3), { max: 2 })) });

  expect(moments).toContain(Date.UTC(2028, 2, 1));
  expect(moments).toHaveLength(48);
  expect(momentsOf({ a: anyText() })).toHaveLength(1);
});
