import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import {
  bool,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  double,
  int32,
  int64,
  json,
  openStorage,
  TableContext,
  text,
} from "../../src/index.ts";
import { newestFirst } from "../../src/keys.ts";

class Sample extends defineEntity({
  table: "Samples",
  partitionKey: { of: text() },
  rowKey: { at: newestFirst },
  properties: {
    int: int32().optional(),
    long: int64().optional(),
    real: double().optional(),
    flag: bool().optional(),
    word: text().optional(),
    on: dateTime().optional(),
    other: json<number>().optional(),
  },
}) {}

const sample = fc.record(
  {
    of: fc.constantFrom("a", "b", "c"),
    int: fc.integer({ min: -3, max: 3 }),
    long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    real: fc.constantFrom(Number.NaN, -0, 0, 1.5, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1e300),
    flag: fc.boolean(),
    word: fc.string({ unit: fc.constantFrom("a", "Z", "é", "\u{1f600}", "\uffee"), maxLength: 3 }),
    on: fc.date({ min: new Date(-1e10), max: new Date(1e12), noInvalidDate: true }),
  },
  { requiredKeys: ["of"] },
);
const column = fc.constantFrom("int", "long", "real", "flag", "word", "on", "at", "of");

type Row = Record<string, unknown>;
const byUnits = <Value>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order as the documentation has it. */
function expected(rows: readonly Row[], name: string, direction: "asc" | "desc"): Row[] {
  const valueOf = (row: Row): unknown => (row[name] instanceof Date ? row[name].getTime() : row[name]);
  const hasNone = (row: Row): boolean => row[name] === undefined || Number.isNaN(row[name]);
  return rows.toSorted((a, b) => {
    const order = hasNone(a) || hasNone(b) ? 0 : byUnits(valueOf(a), valueOf(b));
    const isLater = Number(hasNone(a)) - Number(hasNone(b));
    // Keys have the newest first.
    const byKey = byUnits(a["of"], b["of"]) || byUnits(Number(b["at"]), Number(a["at"]));
    return isLater || (direction === "asc" ? order : -order) || byKey;
  });
}

propertyTest.prop(
  [
    fc.array(sample, { maxLength: 40 }),
    column,
    fc.constantFrom("asc", "desc"),
    fc.option(fc.nat(45), { nil: undefined }),
  ],
  { numRuns: 150 },
)("sortBy with take gives the first of all, in order", async (samples, name, direction, take) => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Sample]);
  const rows = samples.map((values, i) => ({ ...values, at: new Date(1000 * i) }));
  const writer = new TableContext(storage);
  for (const values of rows) writer.create(Sample, values as never);
  await writer.saveChanges();
  const sorted = new TableContext(storage).query(Sample).scan().sortBy(name, direction);

  const found = await (take === undefined ? sorted : sorted.take(take)).toArray();

  const keyOf = ({ of, at }: { of?: unknown; at?: unknown }): unknown[] => [of, at];
  const all = expected(rows, name, direction);
  expect(found.map(keyOf)).toEqual(all.slice(0, take).map(keyOf));
});

class Base extends defineEntity({
  table: "Mixed",
  partitionKey: { of: text() },
  rowKey: { id: text() },
  properties: {},
}) {}
class Low extends defineKind(Base, { kind: "Low", properties: { rank: int32(), name: text() } }) {}
class High extends defineKind(Base, { kind: "High", properties: { rank: int32(), name: int32() } }) {}
class Plain extends defineEntity({
  table: "Mixed",
  kind: "Plain",
  partitionKey: { of: text() },
  rowKey: { id: text() },
  properties: {},
}) {}

test("a query of several kinds sorts by a property that some of them lack, and of one type", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Base, Low, High]);
  const context = new TableContext(storage);
  context.create(Low, { of: "x", id: "1", rank: 2, name: "a" });
  context.create(High, { of: "x", id: "2", rank: 1, name: 5 });
  context.create(Plain, { of: "x", id: "3" });
  await context.saveChanges();
  const all = context.query([Low, High, Plain]).where({ of: "x" });

  const sorted = await all.sortBy("rank" as never).toArray();
  expect(sorted.map(({ id }) => id)).toEqual(["2", "1", "3"]);
  expect(() => all.sortBy("name" as never)).toThrow("same type");
  expect(() => all.sortBy("rnk" as never)).toThrow('"rnk"');
});

test("what has no order is refused, and so is another direction", async () => {
  await using storage = await openStorage("memory:");
  const query = new TableContext(storage).query(Sample);

  expect(() => query.sortBy("other" as never)).toThrow("cannot order");
  expect(() => query.sortBy("int", "up" as never)).toThrow('"asc" or "desc"');
});

test("sorted by a default where a row has no value", async () => {
  await using storage = await openStorage("memory:");
  class WithDefault extends defineEntity({
    table: "Defaults",
    partitionKey: { of: text() },
    rowKey: { id: text() },
    properties: { rank: int32().default(5) },
  }) {}
  await createTables(storage, [WithDefault]);
  for (const [RowKey, rank] of [
    ["a", 7],
    ["b", undefined],
    ["c", 3],
  ] as const)
    await storage.write("Defaults", {
      type: "insert",
      entity: { PartitionKey: "x", RowKey, ...(rank !== undefined && { rank }) },
    });

  const sorted = await new TableContext(storage)
    .query(WithDefault)
    .where({ of: "x" })
    .sortBy("rank")
    .toArray();

  expect(sorted.map(({ rank }) => rank)).toEqual([3, 5, 7]);
});

test("explain says that the client sorts, and how much it holds", async () => {
  await using storage = await openStorage("memory:");
  const query = new TableContext(storage).query(Sample).where({ of: "a" });

  expect(query.sortBy("int", "desc").take(3).explain()).toMatchObject({
    sortedBy: "int desc",
    isInKeyOrder: false,
  });
  expect(String(query.sortBy("int").take(3).explain())).toContain(
    "sorted by int asc on the client, which holds 3",
  );
  expect(String(query.sortBy("int").explain())).toContain("holds at most 10000");
  expect(query.explain()).toMatchObject({ sortedBy: undefined, isInKeyOrder: true });
});
