import { expect, test } from "vitest";
import { convert, defineEntity, json, text, Ticks } from "../../../src/index.ts";
import { padded } from "../../../src/keys.ts";
import type { OrderedColumn } from "../../../src/models.ts";
import { codeOf, Pair, stored } from "../places.ts";

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

test("a date that changes after where() changes no query", async () => {
  const at = new Date("2008-10-01T10:00:00Z");
  const { context } = await stored(new Pair({ p: "A", r: "x", exact: Ticks.fromDate(at) }));
  const query = context.query(Pair).where((b) => [b.p.eq("A"), b.exact.ne(at)]);
  at.setTime(0);

  expect(await query.count()).toBe(0);
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
        .where((b) => (b.c as OrderedColumn<number>).gt(3))
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
