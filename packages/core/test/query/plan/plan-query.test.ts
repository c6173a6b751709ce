import { expect, test } from "vitest";
import {
  defineEntity,
  defineKind,
  type Explanation,
  int32,
  openStorage,
  type Query,
  TableContext,
  text,
} from "../../../src/index.ts";
import { constant, descending, newestFirst, padded } from "../../../src/keys.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst, author: text() },
  properties: { text: text(), rating: int32(), stars: int32().default(0) },
}) {}
class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: {},
  properties: { name: text() },
}) {}
class Country extends defineKind(Place, { kind: { name: "Country", key: "prefix" } }) {}
class City extends defineKind(Place, {
  kind: { name: "City", key: "prefix" },
  rowKey: { population: descending(padded(10)), id: padded(9) },
}) {}
class Region extends defineEntity({
  table: "Regions",
  partitionKey: { country: text() },
  rowKey: { code: text() },
  kind: "Region",
  properties: {},
}) {}
class Runner extends defineEntity({
  table: "Runners",
  separator: "__",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(5)), name: text() },
  properties: { age: int32() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
}) {}
class Letter extends defineEntity({
  table: "Letters",
  partitionKey: { box: text() },
  rowKey: { sort: constant("MAIL"), id: text() },
  properties: {},
}) {}

const context = new TableContext(await openStorage("memory:"));
const blogs: Query<Blog> = context.query(Blog);
const at = new Date("2008-10-01T10:00:00Z");
const lines = (explanation: Explanation): string[] =>
  explanation.requests.map((r) =>
    [
      r.type,
      r.keys ?? "all keys",
      ...(r.filter === undefined ? [] : [r.filter]),
      ...(r.isChecked ? ["checked"] : []),
    ].join(" | "),
  );

test("a whole key is a point read", () => {
  expect(lines(blogs.where({ channel: "c", postedOn: at, author: "a" }).explain())).toEqual([
    "point | PartitionKey eq 'c' and RowKey eq '2521794455999999999_a'",
  ]);
});

test("a range of newest-first dates is a row range, turned round", () => {
  expect(lines(blogs.where((b) => [b.channel.eq("c"), b.postedOn.ge(at)]).explain())).toEqual([
    "row range scan | PartitionKey eq 'c' and RowKey lt '2521794455999999999`'",
  ]);
  expect(lines(blogs.where((b) => [b.channel.eq("c"), b.postedOn.lt(at)]).explain())).toEqual([
    "row range scan | PartitionKey eq 'c' and RowKey ge '2521794456000000000'",
  ]);
});

test("a partition alone is a partition scan, and the store filters the rest", () => {
  expect(
    lines(blogs.where((b) => [b.channel.eq("c"), b.rating.ge(3), b.text.startsWith("He")]).explain()),
  ).toEqual(["partition scan | PartitionKey eq 'c' | rating ge 3 and text ge 'He' and text lt 'Hf'"]);
});

test("a range of PartitionKeys is a partition range scan", () => {
  expect(lines(blogs.where((b) => b.channel.between("a", "c")).explain())).toEqual([
    "partition range scan | PartitionKey ge 'a' and PartitionKey le 'c'",
  ]);
});

test("no PartitionKey is a table scan, which says what is missing", () => {
  const explanation = blogs.where((b) => b.rating.eq(3)).explain();

  expect(explanation).toMatchObject({
    type: "table scan",
    rating: "worst",
    missing: ["channel"],
    partitions: undefined,
  });
  expect(String(explanation)).toMatch(/missing channel/);
});

test("several partitions are several requests, in key order, each once", () => {
  expect(lines(blogs.where((b) => b.channel.in(["b", "a", "b"])).explain())).toEqual([
    "partition scan | PartitionKey eq 'a'",
    "partition scan | PartitionKey eq 'b'",
  ]);
});

test("alternatives that overlap are read once and decided again", () => {
  const query = blogs.where((b) => [b.channel.eq("c"), b.postedOn.ge(at).or(b.rating.eq(3))]);

  expect(query.explain().requests).toHaveLength(1);
  expect(query.explain().requests[0]?.isChecked).toBe(true);
});

test("contradictions need no request", () => {
  expect(String(blogs.where((b) => [b.channel.eq("a"), b.channel.eq("b")]).explain())).toBe(
    "no request · nothing can match",
  );
  expect(
    blogs.where((b) => [b.channel.eq("a"), b.postedOn.gt(at), b.postedOn.lt(at)]).explain().requests,
  ).toEqual([]);
  expect(blogs.where((b) => b.channel.in([])).explain().requests).toEqual([]);
});

test("a property with a default lets absent rows through where the default matches", () => {
  expect(lines(blogs.where((b) => [b.channel.eq("c"), b.stars.eq(3)]).explain())).toEqual([
    "partition scan | PartitionKey eq 'c' | stars eq 3",
  ]);
  expect(lines(blogs.where((b) => [b.channel.eq("c"), b.stars.lt(3)]).explain())).toEqual([
    "partition scan | PartitionKey eq 'c' | stars lt 3 or not (stars eq 0 or stars ne 0)",
  ]);
});

test("a kind in the key is a range, and a kind in a property is a filter", () => {
  expect(lines(context.query(City).where({ country: "BR" }).explain())).toEqual([
    "row range scan | PartitionKey eq 'BR' and RowKey ge 'City_' and RowKey lt 'City`'",
  ]);
  expect(lines(context.query(Country).where({ country: "BR" }).explain())).toEqual([
    "point | PartitionKey eq 'BR' and RowKey eq 'Country'",
  ]);
  expect(lines(context.query(Region).where({ country: "BR" }).explain())).toEqual([
    "partition scan | PartitionKey eq 'BR' | Kind eq 'Region'",
  ]);
});

test("all that a class's constant begins is as much as its partition, and a part of it is a range", () => {
  const runners = context.query(Runner).where({ race: "Oslo" });
  expect(runners.explain()).toMatchObject({ type: "partition scan", rating: "fair" });
  expect(lines(runners.explain())).toEqual([
    "partition scan | PartitionKey eq 'Oslo' and RowKey ge 'BIB:' and RowKey lt 'BIB;'",
  ]);
  expect(lines(context.query(Letter).where({ box: "in" }).explain())).toEqual([
    "partition scan | PartitionKey eq 'in' and RowKey ge 'MAIL_' and RowKey lt 'MAIL`'",
  ]);
  for (const narrowed of [
    runners.where((r) => r.bib.ge(7)),
    runners.where((r) => r.bib.lt(7)),
    runners.where({ bib: 7 }),
  ])
    expect(narrowed.explain()).toMatchObject({ type: "row range scan", rating: "good" });
});

test("all rows of an index are as much as the partition, and a part of them is a range", () => {
  const runners = context.query(Runner).where({ race: "Oslo" }).via("byAge");
  expect(lines(runners.explain())).toEqual([
    "partition scan | PartitionKey eq 'Oslo' and RowKey ge 'AGE:' and RowKey lt 'AGE;'",
  ]);
  expect(runners.where((r) => r.age.ge(50)).explain()).toMatchObject({
    type: "row range scan",
    rating: "good",
  });
});

test("the worst range of several says what they cost, and a constant does not make a range of PartitionKeys better", () => {
  const either = context.query(Runner).where((r) => r.race.eq("Oslo").or(r.race.eq("Rome").and(r.bib.eq(7))));
  expect(either.explain().requests.map(({ type }) => type)).toEqual(["partition scan", "row range scan"]);
  expect(either.explain().rating).toBe("fair");
  expect(
    context
      .query(Runner)
      .where((r) => r.race.ge("Oslo"))
      .explain().type,
  ).toBe("partition range scan");
});

test("a base class reads the partition once, whatever kinds are in it", () => {
  expect(lines(context.query(Place).where({ country: "BR" }).explain())).toEqual([
    "partition scan | PartitionKey eq 'BR'",
  ]);
});

test("a filter has at most 15 comparisons, key bounds counted", () => {
  const many = Array.from({ length: 40 }, (_, i) => i * 2);
  const [request] = blogs.where((b) => [b.channel.eq("c"), b.rating.in(many)]).explain().requests;

  expect(request).toMatchObject({ filter: "rating ge 0 and rating le 78", isChecked: true });
});

test("an explanation reads as one line", () => {
  expect(String(blogs.where((b) => [b.channel.eq("c"), b.postedOn.eq(at)]).explain())).toBe(
    "row range scan (good) · 1 partition · PartitionKey eq 'c' and RowKey ge '2521794455999999999_' and RowKey lt '2521794455999999999`'",
  );
});

test("a query that fixes both keys is a point read, whatever else it asks", () => {
  const [where, other] = [
    { country: "BR", code: "SP" },
    { country: "BR", code: "a/b" },
  ];
  const planned = (query: Query<Region>): Explanation => query.explain();

  expect(planned(context.query(Region).where(where)).type).toBe("point");
  // A range that is one text fixes the key as well.
  const range = context
    .query(Region)
    .where({ country: "BR" })
    .where((r) => r.code.ge("SP").and(r.code.le("SP")));
  expect(planned(range).type).toBe("point");
  // Text that no key can have: nothing is read.
  expect(planned(context.query(Region).where(other)).requests).toEqual([]);
  expect(planned(context.query(Region).where({ country: "BR", code: "x".repeat(600) })).requests).toEqual([]);
});

test("a point read checks the conditions that its keys do not decide", () => {
  const keys = { channel: "c", postedOn: at, author: "a" };

  const { requests } = blogs
    .where(keys)
    .where((b) => b.rating.ge(3))
    .explain();

  expect(requests).toMatchObject([{ type: "point", client: "rating ge 3" }]);
});

test("a kind that is declared after its base was asked for is planned for", () => {
  class Thing extends defineEntity({
    table: "Things",
    partitionKey: { channel: text() },
    rowKey: { id: text() },
    properties: {},
  }) {}
  const asked = (): string => context.query(Thing).where({ channel: "c", id: "x" }).explain().toString();
  const before = asked();
  class Gadget extends defineKind(Thing, { kind: "Gadget", rowKey: { size: padded(3) } }) {}

  expect(before).toMatch(/^point/);
  expect(asked()).toMatch(/^row range scan/);
  const gadget = context.query(Gadget).where({ channel: "c", id: "x", size: 3 as never });
  expect(gadget.explain().type).toBe("point");
});
