import { expectTypeOf, test } from "vitest";
import {
  dateTime,
  defineEntity,
  guid,
  odata,
  type Page,
  type TableContext,
  text,
  Ticks,
} from "../../src/index.ts";
import { bucket, month, newestFirst, padded, ulid } from "../../src/keys.ts";

declare const context: TableContext;

class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
  rowKey: { postedOn: newestFirst },
  properties: { text: text() },
}) {}

class Reading extends defineEntity({
  table: "Readings",
  partitionKey: { device: bucket(8), takenOn: month },
  rowKey: { device: guid, n: padded(4), id: ulid },
  properties: { takenOn: dateTime({ ticks: true }), note: text().optional() },
}) {}

test("a derived part gives no type of its own: its source's declaration does", () => {
  expectTypeOf<Post["postedOn"]>().toEqualTypeOf<Date>();
  expectTypeOf<Reading["takenOn"]>().toEqualTypeOf<Ticks>();
  expectTypeOf<Reading["device"]>().toEqualTypeOf<string>();
});

test("a key names what derived parts are made of", () => {
  void context.find(Post, { channel: "c", postedOn: new Date() });
  void context.find(Reading, { device: "d", n: 1, id: "i", takenOn: new Ticks(0n) });
  // @ts-expect-error the month of takenOn is part of the PartitionKey
  void context.find(Reading, { device: "d", n: 1, id: "i" });
  // @ts-expect-error postedOn is a Date
  void context.find(Post, { channel: "c", postedOn: "2008-10" });
});

test("select keeps the parts a key holds, not the sources stored beside it", () => {
  const posts = context.query(Post).select("text").toArray();
  expectTypeOf(posts).resolves.items.toEqualTypeOf<{ text: string; channel: string; postedOn: Date }>();
  const readings = context.query(Reading).select("note").first();
  expectTypeOf(readings).resolves.toEqualTypeOf<
    { note?: string | undefined; device: string; n: number; id: string } | undefined
  >();
});

test("every end has the type of what was asked for", () => {
  const query = context.query(Post).where({ channel: "c" });
  expectTypeOf(query.single()).resolves.toEqualTypeOf<Post>();
  expectTypeOf(query.first()).resolves.toEqualTypeOf<Post | undefined>();
  expectTypeOf(query.count()).resolves.toEqualTypeOf<number>();
  expectTypeOf(query.pages({ size: 10 })).toEqualTypeOf<AsyncGenerator<Page<Post>>>();
  // @ts-expect-error a page has a size
  void query.page({});
});

test("a raw filter is made by odata`…` only, of values with a type", () => {
  context.query(Post).filter(odata`Legacy ge ${3} and Name eq ${"x"} and Big eq ${5n}`);
  // @ts-expect-error text is no filter
  context.query(Post).filter("Legacy ge 3");
  // @ts-expect-error an object is no value
  void odata`Legacy ge ${{}}`;
  // @ts-expect-error undefined is no value
  void odata`Legacy ge ${undefined}`;
});

test("columns compare with their own type", () => {
  context
    .query(Reading)
    .where((r) => [r.device.eq("d"), r.n.between(1, 2), r.takenOn.ge(new Date()), r.id.startsWith("01")]);
  // @ts-expect-error n is a number
  context.query(Reading).where((r) => r.n.eq("1"));
});
