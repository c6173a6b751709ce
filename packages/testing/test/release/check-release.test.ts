import { type EntityClass, OptionError } from "@partita/core";
import { definedClasses } from "@partita/test-support/domain/classes";
import { definedEmbedded } from "@partita/test-support/domain/embedded-classes";
import { definedFills } from "@partita/test-support/domain/fill-classes";
import { definedLogs } from "@partita/test-support/domain/log-classes";
import { definedPlain } from "@partita/test-support/domain/plain-classes";
import { definedProducts } from "@partita/test-support/domain/product-classes";
import { definedScopes } from "@partita/test-support/domain/scope-classes";
import { expect, test } from "vitest";
import { checkRelease, describeRelease } from "../../src/index.ts";
import { planted } from "./planted.ts";

const pairNamed = (change: string): (typeof planted)[number] => {
  const found = planted.find((each) => each.change === change);
  if (found === undefined) throw new Error(`There is no pair with ${change}.`);
  return found;
};

const {
  TwiceOrder: _wrong,
  TwiceLine: _alone,
  ...rightClasses
} = definedClasses as unknown as Record<string, EntityClass>;

test.each([
  ["orders", rightClasses],
  ["embedded objects", { Client: definedEmbedded.Client, Price: definedEmbedded.Price }],
  ["default functions", definedFills],
  ["logs", definedLogs],
  ["plain data", definedPlain],
  ["products", definedProducts],
  ["scopes", definedScopes],
])("the classes of %s see all of each other in a release next to itself", async (_name, declared) => {
  const classes = (Object.values(declared) as unknown[]).filter(isEntityClass);

  const report = await checkRelease(classes, classes, { acts: 1, histories: 10 });

  expect(report.findings).toStrictEqual([]);
  expect(report.classes.flatMap(({ unchecked }) => unchecked)).toStrictEqual([]);
  expect(report.histories).toBeGreaterThan(10);
});

const isEntityClass = (value: unknown): value is EntityClass => typeof value === "function";

test("the same seed gives the same report, and plain data", async () => {
  const { old, new: newer } = pairNamed("a rename without supports");
  const options = { acts: 3, histories: 10, seed: 7 };

  const [first, second] = [await checkRelease(old, newer, options), await checkRelease(old, newer, options)];

  expect(second).toStrictEqual(first);
  expect(first.seed).toBe(7);
  expect(structuredClone(first)).toStrictEqual(first);
});

test("what is printed has no values", async () => {
  const { old, new: newer } = pairNamed("a rename without supports");
  const report = await checkRelease(old, newer, {
    acts: 2,
    histories: 0,
    values: { Note: { qty: [987_654_321, 123_454_321], quantity: [987_654_321] } },
  });

  const text = describeRelease(report);

  expect(text).toContain("  qty → quantity  old sees: undefined  new sees: undefined");
  expect(text).toContain("  new inserts row 1 · old sees qty: undefined");
  expect(text).not.toMatch(/987654321|123454321/);
  expect(report.findings[0]?.history[0]?.values).toStrictEqual({ quantity: 987_654_321 });
});

test.each([
  [[], [class {}], {}, "the entity classes of both releases"],
  [
    pairNamed("a rename without supports").old,
    pairNamed("a rename without supports").new,
    { acts: 0 },
    "acts",
  ],
  [
    pairNamed("a rename without supports").old,
    pairNamed("a rename without supports").new,
    { values: [1] },
    "lists of plain values",
  ],
])("wrong arguments are refused", async (older, newer, options, message) => {
  const checked = checkRelease(older as EntityClass[], newer as EntityClass[], options as object);

  await expect(checked).rejects.toThrow(message);
  await expect(checked).rejects.toSatisfy(
    (error) => OptionError.is(error) && error.code === "release.option",
  );
});

test("a property whose values cannot be made up is named", async () => {
  const { old } = pairNamed("a rename without supports");
  const report = await checkRelease(old, old, { acts: 1, histories: 0, values: { Note: { id: [] } } });

  expect(report.classes[0]?.unchecked).toStrictEqual([
    "No generated value is valid for the key of Note. Pass values for it with the option values.",
  ]);
});
