import { expectTypeOf, test } from "vitest";
import {
  defineEntity,
  defineKind,
  json,
  type Query,
  type TableContext,
  text,
  type Ticks,
} from "../../src/index.ts";
import type { Columns, Key } from "../../src/models.ts";

class Rich {
  channel!: Key<string>;
  postedOn!: Key<Date>;
  rating = 0;
  big?: bigint;
  state!: "a" | "b";
  flag!: boolean;
  tags!: string[];
  exact!: Ticks;
  n: number | null = null;

  m(): void {}
}
class Loose {
  channel!: string;
  postedOn!: Date;
}
class Blog extends defineEntity({
  table: "T",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), author: text() },
}) {}
class Comment extends defineEntity({
  table: "T",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), by: text() },
}) {}

class Event extends defineEntity({
  table: "Events",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {
    word: json<string>(),
    maybe: json<"a" | "b">().optional().named("Maybe"),
    number: json<number>().default(3),
    anything: json<any>(), // oxlint-disable-line typescript/no-explicit-any
    note: text().optional(),
  },
  etagProperty: "version",
  timestampProperty: "savedOn",
}) {}
class Click extends defineKind(Event, { kind: "Click", properties: { at: json<number>() } }) {}

declare const context: TableContext;
declare const columns: Columns<Rich>;

test("columns compare with values of their own type", () => {
  const query: Query<Rich> = context.query(Rich);
  query.where((b) => b.channel.eq("x").and(b.postedOn.ge(new Date())).and(b.big.eq(3n)).and(b.n.lt(4)));
  query.where((b) => [b.state.eq("a"), b.flag.eq(true), b.exact.ge(new Date())]);
  query.where({ channel: "x", rating: 3 });
  // @ts-expect-error "c" is no state
  query.where((b) => b.state.eq("c"));
  // @ts-expect-error text is no number
  query.where((b) => b.rating.eq("3"));
  // @ts-expect-error undefined matches nothing
  query.where((b) => b.big.eq(undefined));
  // @ts-expect-error there is no such property
  query.where({ chanel: "x" });
  // @ts-expect-error a flag has no order
  query.where((b) => b.flag.gt(true));
});

test("a boolean is no predicate", () => {
  // @ts-expect-error === compares the column itself
  context.query(Rich).where((b) => b.rating === 3);
  // @ts-expect-error ! makes a boolean
  context.query(Rich).where((b) => !b.channel.eq("x"));
});

test("methods and JSON values have no comparisons", () => {
  // @ts-expect-error a method is not stored
  void columns.m;
  // @ts-expect-error an array is stored as JSON
  columns.tags.eq([]);
});

test("JSON is not compared, whatever its type is in the program", () => {
  const events = context.query(Event);
  events.where((e) => e.note.eq("x"));
  // @ts-expect-error stored as JSON
  events.where((e) => e.word.eq("x"));
  // @ts-expect-error stored as JSON
  events.where((e) => e.maybe.eq("a"));
  // @ts-expect-error stored as JSON
  events.where((e) => e.number.ge(3));
  // @ts-expect-error stored as JSON
  events.where((e) => e.anything.eq(3));
  // @ts-expect-error stored as JSON
  events.where({ word: "x" });
  // @ts-expect-error stored as JSON, in a kind
  context.query(Click).where((c) => c.at.eq(3));
  // @ts-expect-error stored as JSON, in the kind's base
  context.query(Click).where((c) => c.word.eq("x"));
  events.select("word", "maybe");
});

test("ETag and Timestamp are neither compared nor selected", () => {
  const events = context.query(Event);
  // @ts-expect-error Timestamp is no stored property
  events.where((e) => e.savedOn.gt(new Date()));
  // @ts-expect-error ETag is no stored property
  events.where((e) => e.version.eq("x"));
  // @ts-expect-error Timestamp is no stored property
  events.where({ savedOn: new Date() });
  // @ts-expect-error Timestamp comes with every row
  events.select("savedOn");
  // @ts-expect-error a kind has those of its base
  context.query(Click).where((c) => c.savedOn.gt(new Date()));
  // @ts-expect-error names are not in an array
  events.select(["note"]);
});

test("decorated classes find by a partial key, or exactly by the parts they name", () => {
  expectTypeOf(context.find(Rich, { channel: "x", postedOn: new Date() })).resolves.toEqualTypeOf<
    Rich | undefined
  >();
  // @ts-expect-error postedOn is missing
  void context.find(Rich, { channel: "x" });
  void context.find(Loose, { channel: "x" });
  // @ts-expect-error misspelt
  void context.find(Loose, { chanel: "x" });
});

test("sortBy takes properties that have an order, and filterInMemory a function of what the query gives", () => {
  context.query(Rich).sortBy("channel").sortBy("exact", "desc").sortBy("flag").sortBy("n");
  context.query(Event).sortBy("note", "asc");
  // @ts-expect-error JSON has no order
  context.query(Event).sortBy("word");
  // @ts-expect-error Timestamp is no stored property
  context.query(Event).sortBy("savedOn");
  // @ts-expect-error misspelt
  context.query(Rich).sortBy("chanel");
  // @ts-expect-error a method is not stored
  context.query(Rich).sortBy("m");
  // @ts-expect-error no such direction
  context.query(Rich).sortBy("rating", "down");
  context.query(Rich).filterInMemory((rich) => rich.tags.includes("a"));
  const rated = context.query(Rich).select("rating");
  // @ts-expect-error tags are not selected
  rated.filterInMemory((rich) => rich.tags.includes("a"));
  // @ts-expect-error a promise counts as true
  context.query(Rich).filterInMemory(async () => false);
});

test("a list of classes is their union, with common columns", () => {
  const both = context.query([Blog, Comment]);
  expectTypeOf(both.toArray()).resolves.toEqualTypeOf<(Blog | Comment)[]>();
  both.where((row) => row.text.eq("x"));
  // @ts-expect-error only blogs have an author
  both.where((row) => row.author.eq("x"));
});
