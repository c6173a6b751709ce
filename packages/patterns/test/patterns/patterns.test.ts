import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type Query,
  TableContext,
  text,
} from "@partita/core";
import { month, newestFirst } from "@partita/core/keys";
import {
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
  rowKey: { postedOn: newestFirst },
  properties: { author: text(), rating: int32().default(0) },
}) {}

class Entry extends defineEntity({
  table: "Entries",
  separator: "::",
  partitionKey: { book: text(), madeOn: month },
  rowKey: { madeOn: newestFirst },
  properties: {},
}) {}

const day = (of: number): Date => new Date(Date.UTC(2008, 9, of));

const patterns = definePatterns({
  latest: pattern(
    Post,
    { channel: anyText({ min: 1 }), since: withinDays(31) },
    (query, { channel, since }) => query.where((p) => p.channel.eq(channel).and(p.postedOn.ge(since))),
    { atMost: "row range scan" },
  ),
  rated: pattern(
    Post,
    { channel: anyText(), ratings: listOf(anyInteger(), { max: 3 }), author: optional(anyText()) },
    (query, { channel, ratings, author }) => {
      const rated = query.where({ channel }).where((p) => p.rating.in(ratings));
      return author === undefined ? rated : rated.where({ author });
    },
    { atMost: "partition scan" },
  ),
  "of a channel": pattern(Post, { channel: anyText() }, (query, values) => query.where(values), {
    atMost: "partition scan",
  }),
});

async function seeded(): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Post]);
  const context = new TableContext(storage);
  for (const of of [1, 2, 3])
    context.create(Post, { channel: "A", postedOn: day(of), author: "Ann", rating: of });
  await context.saveChanges();
  return context;
}

test("a program asks by the very pattern that is checked", async () => {
  const context = await seeded();

  const latest = await patterns.latest.query(context, { channel: "A", since: day(2) }).toArray();
  expect(latest.map(({ rating }) => rating)).toEqual([3, 2]);
  const rated = patterns.rated.query(context, { channel: "A", ratings: [1, 3] });
  expect(await rated.take(1).toArray()).toMatchObject([{ rating: 3 }]);
  expect(await patterns["of a channel"].query(context, { channel: "A" }).count()).toBe(3);
});

test("a pattern is planned without a context, and its plan is the query's", async () => {
  const context = await seeded();
  const values = { channel: "A", since: day(2) };

  const planned = patterns.latest.explain(values);
  expect(planned.toString()).toBe(patterns.latest.query(context, values).explain().toString());
  expect(planned.shape).toBe("Post: channel eq and postedOn ge");
});

test("a value that the pattern is not checked for is refused before anything is sent, and never printed", async () => {
  const context = await seeded();
  const refused = (ask: () => unknown): unknown => {
    try {
      return ask();
    } catch (error) {
      return error;
    }
  };

  const tooLong = refused(() => patterns.rated.query(context, { channel: "A", ratings: [1, 2, 3, 77] }));
  expect(tooLong).toMatchObject({ code: "pattern.value", details: { parameter: "ratings" } });
  expect((tooLong as Error).message).toContain("a list of 0 to 3, each a whole number");
  expect((tooLong as Error).message).not.toContain("77");
  expect(refused(() => patterns.latest.query(context, { channel: "", since: day(1) }))).toMatchObject({
    code: "pattern.value",
  });
  expect(
    refused(() => patterns.latest.query(context, { channel: "A", since: new Date(Number.NaN) })),
  ).toMatchObject({ code: "pattern.value", details: { parameter: "since" } });
  expect(refused(() => patterns.latest.query(context, { channel: "A" } as never))).toMatchObject({
    code: "pattern.value",
  });
  const unknown = { channel: "A", since: day(1), other: 1 };
  expect(refused(() => patterns.latest.query(context, unknown))).toMatchObject({
    code: "pattern.value",
    message: expect.stringContaining(
      'The access pattern "latest" has no parameter other. It has: channel, since.',
    ) as string,
  });
});

test("dates of one call lie within the days of their parameters, whatever the time is", () => {
  const { span } = definePatterns({
    span: pattern(
      Entry,
      { book: anyText(), from: withinDays(31), to: withinDays(31) },
      (query, { book, from, to }) => query.where((e) => [e.book.eq(book), e.madeOn.between(from, to)]),
      { atMost: "row range scan" },
    ),
  });

  expect(span.explain({ book: "a", from: day(1), to: day(31) }).partitions).toBe(1);
  expect(() => span.explain({ book: "a", from: day(1), to: day(33) })).toThrow(
    "a parameter from that is a date of the last 31 days before the latest one",
  );
  expect(span.separators).toEqual(["::"]);
});

test("what pattern() and definePatterns() do not take is named", () => {
  const build = (query: Query<Post>): Query<Post> => query;

  expect(() => pattern(Post, { a: "text" } as never, build, { atMost: "point" })).toThrow(
    "pattern(Class, { a }, build, bounds) takes a domain, such as anyText().",
  );
  expect(() => pattern(Post, {}, build, { atMost: "points" } as never)).toThrow("Did you mean point?");
  expect(() => pattern(Post, {}, build, {} as never)).toThrow(
    "pattern(Class, parameters, build, { atMost })",
  );
  expect(() => pattern(Post, {}, build, { atMost: "point", request: 1 } as never)).toThrow(
    "Did you mean requests?",
  );
  expect(() => definePatterns({ it: {} } as never)).toThrow('definePatterns({ "it" }) takes pattern(');
  expect(() => anyOf([])).toThrow("anyOf(values) takes a list of at least one value.");
  expect(() => anyText({ min: 3, max: 2 })).toThrow("anyText({ min, max }) takes a min up to its max.");
  expect(() => listOf(anyText(), {} as never)).toThrow("listOf(domain, { max })");
  expect(() => withinDays(0)).toThrow("withinDays(days) takes a number above 0.");
});

test("a function that reads its query, or returns none, is refused", () => {
  const { reads, returns } = definePatterns({
    reads: pattern(
      Post,
      {},
      (query) => {
        void query
          .where({ channel: "A" })
          .toArray()
          .catch(() => undefined);
        return query;
      },
      { atMost: "table scan" },
    ),
    returns: pattern(Post, {}, (() => undefined) as never, { atMost: "table scan" }),
  });

  expect(() => returns.explain({})).toThrow("returns no query");
  expect(reads.explain({}).type).toBe("table scan");
});
