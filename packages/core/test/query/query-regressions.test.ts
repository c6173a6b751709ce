import { expect, test } from "vitest";
import {
  convert,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  int32,
  json,
  openStorage,
  type Query,
  TableContext,
  type TableStorage,
  text,
  Ticks,
} from "../../src/index.ts";
import { modelOf } from "../../src/protocol.ts";
import { descending, constant, padded } from "../../src/keys.ts";

class Pair extends defineEntity({
  table: "Pairs",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { x: int32().optional(), exact: dateTime({ ticks: true }).optional() },
}) {}
class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: {},
  properties: {},
}) {}
class City extends defineKind(Place, {
  kind: { name: "City", key: "prefix" },
  rowKey: { name: text() },
  properties: { x: int32().default(0) },
}) {}
class County extends defineKind(Place, {
  kind: { name: "County", key: "prefix" },
  rowKey: { name: text() },
  properties: { x: int32().optional() },
}) {}
class Loose extends defineEntity({
  table: "Loose",
  partitionKey: { country: text() },
  rowKey: { name: text() },
  properties: { x: int32() },
}) {}
class Left extends defineKind(Loose, { kind: "Left" }) {}
class Right extends defineKind(Loose, { kind: "Right" }) {}

async function stored(...entities: object[]): Promise<{ storage: TableStorage; context: TableContext }> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Pair, Place, City, County, Loose, Left, Right]);
  const writer = new TableContext(storage);
  for (const entity of entities) writer.add(entity);
  await writer.saveChanges();
  return { storage, context: new TableContext(storage) };
}

const codeOf = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
};

test("a range that grows over several others returns their rows once", async () => {
  const { context } = await stored(...["a", "c", "e"].map((r) => new Pair({ p: "A", r })));

  const query = context
    .query(Pair)
    .where((b) =>
      b.p
        .eq("A")
        .and(b.r.in(["a", "c"]))
        .or(b.p.ge("A").and(b.r.eq("e"))),
    )
    .scan();

  expect((await query.toArray()).map((row) => row.r)).toEqual(["a", "c", "e"]);
});

test("nothing is less than empty text", async () => {
  class Two extends defineEntity({
    table: "Pairs",
    partitionKey: { p: text(), q: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}
  const { context } = await stored(new Two({ p: "A", q: "", r: "x" }));

  expect(
    await context
      .query(Two)
      .where((b) => [b.p.eq("A"), b.q.lt("")])
      .count(),
  ).toBe(0);
  expect(
    await context
      .query(Two)
      .where((b) => [b.p.eq("A"), b.q.ge("").not()])
      .count(),
  ).toBe(0);
});

test("a Date and the Ticks of its first tick are two values of in", async () => {
  const at = new Date("2008-10-01T10:00:00Z");
  const exact = new Ticks(Ticks.fromDate(at).value + 5n);
  const { context } = await stored(new Pair({ p: "A", r: "x", exact }));

  expect(
    await context
      .query(Pair)
      .where((b) => [b.p.eq("A"), b.exact.in([at, Ticks.fromDate(at)])])
      .count(),
  ).toBe(1);
});

test("a kind in the key is filtered by name where the range does not say it", async () => {
  const { context } = await stored(
    new City({ country: "X", name: "a" }),
    new County({ country: "X", name: "a" }),
    new County({ country: "X", name: "b", x: 0 }),
  );

  expect(
    await context
      .query(City)
      .where((c) => c.name.in(["a", "b"]))
      .scan()
      .count(),
  ).toBe(1);
  expect(
    await context
      .query([City, County])
      .where((c) => c.x.eq(0))
      .scan()
      .count(),
  ).toBe(2);
});

test("a point read of another kind finds nothing in a query, and is told by find", async () => {
  const { context } = await stored(new Right({ country: "X", name: "2", x: 1 }));

  expect(await context.query(Left).where({ country: "X", name: "2" }).count()).toBe(0);
  await expect(context.find(Left, { country: "X", name: "2" })).rejects.toMatchObject({
    code: "kind.mismatch",
    message: expect.stringMatching(/asked for as Left.*row of kind "Right"/) as string,
  });
});

test("kinds stay apart when a filter is too long for the service", async () => {
  const { context } = await stored(
    new Left({ country: "X", name: "1", x: 1 }),
    new Right({ country: "X", name: "2", x: 2 }),
  );
  const many = Array.from({ length: 20 }, (_, i) => i);

  expect(
    (
      await context
        .query([Left])
        .where((row) => [row.country.eq("X"), row.x.in(many)])
        .toArray()
    ).map((row) => row.name),
  ).toEqual(["1"]);
});

test("key text that no key can have matches nothing, and spoils no list", async () => {
  const { context } = await stored(new Pair({ p: "A", r: "a" }));

  expect(await context.query(Pair).where({ p: "A", r: "a/b" }).count()).toBe(0);
  expect(
    await context
      .query(Pair)
      .where((b) => [b.p.eq("A"), b.r.in(["a", "a/b", "x".repeat(600)])])
      .count(),
  ).toBe(1);
});

test("operands of another type are refused for keys and properties alike", async () => {
  const { context } = await stored();
  class Dated extends defineEntity({
    table: "Pairs",
    partitionKey: { n: padded(3) },
    rowKey: { r: text() },
    properties: {},
  }) {}

  expect(
    codeOf(() =>
      context
        .query(Dated)
        .where((b) => b.n.eq("1" as never))
        .explain(),
    ),
  ).toBe("query.wrong-type");
  expect(
    codeOf(() =>
      context
        .query(Dated)
        .where((b) => b.n.gt(Number.NaN).not())
        .explain(),
    ),
  ).toBe("query.wrong-type");
  expect(
    codeOf(() =>
      context
        .query(Pair)
        .where((b) => b.p.eq(5 as never))
        .explain(),
    ),
  ).toBe("query.wrong-type");
  expect(
    codeOf(() =>
      context
        .query(Pair)
        .where((b) => b.exact.eq(new Date(Number.NaN)))
        .explain(),
    ),
  ).toBe("query.wrong-type");
  expect(
    codeOf(() =>
      context
        .query(Pair)
        .where((b) => [b.x.eq("s" as never), b.p.in([])])
        .explain(),
    ),
  ).toBe("query.wrong-type");
  expect(codeOf(() => context.query(Pair).where((b) => b.p.startsWith("\ud83d")))).toBe(
    "query.malformed-text",
  );
});

test("holes in a list of values are refused", async () => {
  const { context } = await stored();

  // oxlint-disable-next-line no-sparse-arrays -- the hole is the point
  expect(codeOf(() => context.query(Pair).where((b) => b.x.in([, 1] as never)))).toBe(
    "query.undefined-value",
  );
});

test("a predicate of another callback is refused", async () => {
  const { context } = await stored();
  let leaked: unknown;
  context.query(Pair).where((b) => (leaked = b.p.eq("x")) as never);

  expect(codeOf(() => context.query(Pair).where(() => leaked as never))).toBe("query.foreign-predicate");
  expect(codeOf(() => context.query(Pair).where(null as never))).toBe("query.not-a-predicate");
});

test("a long chain of alternatives is no deep tree, and equal ones are one list", async () => {
  const { context } = await stored(new Pair({ p: "p7", r: "x" }));
  const query = context.query(Pair).where((b) => {
    let any = b.p.eq("p0");
    for (let i = 1; i < 3000; i++) any = any.or(b.p.eq(`p${i}`));
    return any;
  });

  expect(query.explain().type).toBe("partition scan");
  expect(query.explain().requests).toHaveLength(3000);
});

test("many partitions times many rows fall back to whole partitions", async () => {
  const { context } = await stored();
  const many = Array.from({ length: 1500 }, (_, i) => String(i));

  expect(
    context
      .query(Pair)
      .where((b) => [b.p.in(many), b.r.in(many)])
      .explain().requests,
  ).toHaveLength(1500);
});

test("a date that changes after where() changes no query", async () => {
  const at = new Date("2008-10-01T10:00:00Z");
  const { context } = await stored(new Pair({ p: "A", r: "x", exact: Ticks.fromDate(at) }));
  const query = context.query(Pair).where((b) => [b.p.eq("A"), b.exact.ne(at)]);
  at.setTime(0);

  expect(await query.count()).toBe(0);
});

test("a page token is good for its own query only", async () => {
  const { context } = await stored(...["a", "b", "c"].map((r) => new Pair({ p: "A", r })));
  const query = (other: string): Query<Pair> =>
    context.query(Pair).where((b) => [b.p.eq("A"), b.r.ne(other)]);
  const { next } = await query("x").page({ size: 1 });

  await expect(query("y").page({ size: 1, after: next as never })).rejects.toMatchObject({
    code: "query.foreign-token",
  });
  await expect(
    query("x")
      .take(2)
      .page({ size: 1, after: next as never }),
  ).rejects.toMatchObject({ code: "query.foreign-token" });
  await expect(query("x").page({ size: 1, after: `${next}x` as never })).rejects.toMatchObject({
    code: "query.foreign-token",
  });
  expect((await query("x").page({ size: 5, after: next as never })).entities).toHaveLength(2);
});

test("formats and separators that cannot keep order are refused", () => {
  expect(() => descending(constant("ab") as never)).toThrow(/fixed width/);
  const keys = {
    partitionKey: { p: text() },
    rowKey: { a: constant("a_", padded(2)), b: text() },
    properties: {},
  } as const;
  expect(codeOf(() => modelOf(defineEntity({ table: "Things", ...keys })))).toBe("model.key-literal");
  expect(codeOf(() => modelOf(defineEntity({ table: "Things", ...keys, separator: "\uffff" })))).toBe(
    "model.separator",
  );
});

test("names that every object has are refused, as property and as stored name", () => {
  const keys = { table: "Things", partitionKey: { p: text() }, rowKey: { r: text() } } as const;

  expect(codeOf(() => modelOf(defineEntity({ ...keys, properties: { toString: text() } })))).toBe(
    "model.reserved-name",
  );
  expect(
    codeOf(() => modelOf(defineEntity({ ...keys, properties: { a: text().named("constructor") } }))),
  ).toBe("model.property-name");
});

test("what a converter or JSON orders is not compared", async () => {
  class Things extends defineEntity({
    table: "Pairs",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: { j: json<string>(), c: convert<number>({ toText: String, fromText: Number }) },
  }) {}
  const { context } = await stored(new Things({ p: "A", r: "x", j: "a", c: 5 }));

  expect(
    codeOf(() =>
      context
        .query(Things)
        // @ts-expect-error JSON is not compared
        .where((b) => b.j.startsWith("a") as never)
        .explain(),
    ),
  ).toBe("query.not-comparable");
  expect(
    codeOf(() =>
      context
        .query(Things)
        .where((b) => b.c.gt(3))
        .explain(),
    ),
  ).toBe("query.not-comparable");
  expect(
    await context
      .query(Things)
      .where((b) => [b.p.eq("A"), b.c.eq(5)])
      .count(),
  ).toBe(1);
});
