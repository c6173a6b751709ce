import { expectTypeOf, test } from "vitest";
import { type Children, defineEntity, int32, type Query, type TableContext, text } from "@partita/core";
import type { WithChildren } from "@partita/core";
import { constant } from "@partita/core/keys";
import {
  anyBoolean,
  anyDate,
  anyGuid,
  anyInt64,
  anyInteger,
  anyOf,
  anyText,
  definePatterns,
  listOf,
  optional,
  pattern,
  withinDays,
} from "../../src/index.ts";

class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { rating: int32() },
}) {}
class Blog {
  channel!: string;
  rating = 0;
  comments?: Children<Comment>;
}
class Comment {
  channel!: string;
  by!: string;
}
declare const context: TableContext;
const bounds = { atMost: "partition scan" } as const;

test("values infer from the domains of the parameters", () => {
  pattern(
    Post,
    {
      name: anyText(),
      state: anyOf(["open", "closed"]),
      count: anyInteger(),
      big: anyInt64(),
      flag: anyBoolean(),
      at: anyDate(),
      since: withinDays(3),
      ids: listOf(anyGuid(), { max: 9 }),
      only: optional(anyText()),
    },
    (query, values) => {
      expectTypeOf(query).toEqualTypeOf<Query<Post>>();
      expectTypeOf(values.name).toEqualTypeOf<string>();
      expectTypeOf(values.state).toEqualTypeOf<"open" | "closed">();
      expectTypeOf(values.count).toEqualTypeOf<number>();
      expectTypeOf(values.big).toEqualTypeOf<bigint>();
      expectTypeOf(values.flag).toEqualTypeOf<boolean>();
      expectTypeOf(values.at).toEqualTypeOf<Date>();
      expectTypeOf(values.since).toEqualTypeOf<Date>();
      expectTypeOf(values.ids).toEqualTypeOf<readonly string[]>();
      expectTypeOf(values.only).toEqualTypeOf<string | undefined>();
      return query;
    },
    bounds,
  );
});

test("a property that the class does not have does not compile", () => {
  pattern(
    Post,
    { author: anyText() },
    // @ts-expect-error -- Post has no author
    (query, { author }) => query.where((p) => p.author.eq(author)),
    bounds,
  );
  // @ts-expect-error -- a rating is a number
  pattern(Post, { rating: anyText() }, (query, values) => query.where(values), bounds);
  // @ts-expect-error -- there is no parameter b
  pattern(Post, { a: anyText() }, (query, { b }) => query.where({ channel: b }), bounds);
  // @ts-expect-error -- a pattern says how wide it may be
  pattern(Post, {}, (query) => query, {});
  // @ts-expect-error -- the types of plans are known
  pattern(Post, {}, (query) => query, { atMost: "index scan" });
  // @ts-expect-error -- the function returns the query
  pattern(Post, {}, (query) => query.toArray(), bounds);
});

test("the program's query has the values and the result of its pattern", () => {
  const patterns = definePatterns({
    one: pattern(
      Post,
      { channel: anyText(), id: optional(anyText()) },
      (query, { channel }) => query.where({ channel }),
      bounds,
    ),
    parts: pattern(Post, {}, (query) => query.select("rating"), bounds),
    family: pattern(
      Blog,
      { channel: anyText() },
      (query, values) => query.where(values).include((b) => b.comments),
      bounds,
    ),
    either: pattern([Blog, Comment], {}, (query) => query.where({ channel: "a" }), bounds),
  });

  expectTypeOf(patterns.one.query(context, { channel: "a" })).toEqualTypeOf<Query<Post>>();
  expectTypeOf(patterns.one.query(context, { channel: "a", id: "b" })).toEqualTypeOf<Query<Post>>();
  expectTypeOf(patterns.either.query(context, {})).toEqualTypeOf<Query<Blog | Comment>>();
  expectTypeOf(patterns.family.query(context, { channel: "a" })).toEqualTypeOf<
    Query<Blog, WithChildren<Blog, Blog, "comments">>
  >();
  // @ts-expect-error -- channel is missing
  patterns.one.query(context, {});
  // @ts-expect-error -- a channel is text
  patterns.one.query(context, { channel: 1 });
  // @ts-expect-error -- there is no such pattern
  void patterns.other;
});

test("an index that the class does not have does not compile", () => {
  class Runner extends defineEntity({
    table: "Races",
    partitionKey: { race: text() },
    rowKey: { bib: text() },
    properties: { email: text() },
    indexes: { byEmail: { rowKey: { email: constant("MAIL:", text()) } } },
  }) {}

  pattern(Runner, {}, (query) => query, { atMost: "point", via: "byEmail" });
  // @ts-expect-error -- there is no index byAge
  pattern(Runner, {}, (query) => query, { atMost: "point", via: "byAge" });
});
