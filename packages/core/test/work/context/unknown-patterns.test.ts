import { afterEach, expect, test, vi } from "vitest";
import {
  type ContextOptions,
  createTables,
  defineEntity,
  defineKind,
  int32,
  odata,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";
import { withoutLinks } from "../../../src/values/errors/error-page.ts";
import { anyInteger, anyText, definePatterns, listOf, optional, pattern } from "@partita/patterns";

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { author: text(), rating: int32().default(0) },
}) {}
class Comment extends defineKind(Entry, {
  kind: "Comment",
  rowKey: { number: text() },
  properties: { by: text() },
}) {}
class Post extends defineKind(Entry, {
  kind: "Post",
  children: { comments: () => Comment },
}) {}

const patterns = definePatterns({
  "of a channel": pattern(
    Post,
    { channel: anyText(), author: optional(anyText()) },
    (query, { channel, author }) => {
      const found = query.where({ channel });
      return author === undefined ? found : found.where((p) => p.author.eq(author));
    },
    { atMost: "partition scan" },
  ),
  "with comments": pattern(
    Post,
    { channel: anyText(), id: anyText() },
    (query, values) => query.where(values).include((p) => p.comments),
    { atMost: "row range scan" },
  ),
  "by kind": pattern(
    [Post, Comment],
    { channel: anyText(), ratings: listOf(anyInteger(), { max: 9 }), by: anyText() },
    (query, { channel, ratings, by }) =>
      query
        .where((e) => [e.channel.eq(channel), e.rating.in(ratings)])
        .whereKind(Comment, (c) => c.by.eq(by)),
    { atMost: "partition scan" },
  ),
});

const requests: string[] = [];

async function contextWith(options: ContextOptions): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Post]);
  requests.length = 0;
  const hooks = {
    sending: ({ type, table }: { type: string; table: string }) => requests.push(`${type} ${table}`),
  };
  return new TableContext(storage, { hooks: hooks as never, ...options });
}

afterEach(() => vi.restoreAllMocks());

test("a query that no pattern declares is refused before anything is sent, by its shape and without values", async () => {
  const context = await contextWith({ patterns, unknownPattern: "error" });
  const query = context.query(Post).where((p) => [p.rating.ge(4711), p.channel.eq("secret")]);

  const error: unknown = await query.toArray().catch((e: unknown) => e);
  expect(error).toMatchObject({
    name: "PatternError",
    code: "pattern.unknown",
    details: { shape: "Post: channel eq and rating ge" },
  });
  expect(withoutLinks((error as Error).message)).toBe(
    'No access pattern is declared for this query: Post: channel eq and rating ge. Declare it in definePatterns(), or query with patterns["name"].query(context, values).',
  );
  await expect(query.count()).rejects.toThrow("pattern");
  await expect(query.first()).rejects.toThrow("pattern");
  await expect(query.page({ size: 3 })).rejects.toThrow("pattern");
  await expect(query.removeAll()).rejects.toThrow("pattern");
  expect(requests).toEqual([]);
  expect(query.explain().type).toBe("partition scan");
});

test("a declared query passes, whatever its values, its order, its options and its page are", async () => {
  const context = await contextWith({ patterns, unknownPattern: "error" });

  await context.query(Post).where({ channel: "any/thing" }).take(3).toArray();
  await context
    .query(Post)
    .where((p) => p.author.eq("Ann"))
    .where({ channel: "a" })
    .mergeOption("noTracking")
    .page({ size: 2 });
  await patterns["of a channel"].query(context, { channel: "a" }).select("author").toArray();
  await context
    .query([Comment, Post])
    .whereKind(Comment, (c) => c.by.eq("Bob"))
    .where((e) => e.rating.in([1, 2, 3]).and(e.channel.eq("a")))
    .toArray();
  // No key has the slash.
  expect(requests).toHaveLength(3);
});

test("a pattern with children may be counted and changed as a whole, and its parents alone are another query", async () => {
  const context = await contextWith({ patterns, unknownPattern: "error" });
  const families = patterns["with comments"].query(context, { channel: "a", id: "1" });

  expect(families.explain().shape).toBe("Post with comments: channel eq and id eq");
  expect(await families.toArray()).toEqual([]);
  expect(await families.count()).toBe(0);
  await families.removeAll();
  await expect(context.query(Post).where({ channel: "a", id: "1" }).toArray()).rejects.toMatchObject({
    code: "pattern.unknown",
  });
});

test("operators, negations, alternatives, kinds and filters are parts of a shape", async () => {
  const context = await contextWith({});
  const shape = (query: { explain(): { readonly shape: string } }): string => query.explain().shape;
  const posts = context.query(Post);

  expect(shape(posts)).toBe("Post: everything");
  expect(shape(posts.where((p) => p.author.exists().not()))).toBe("Post: not (author exists)");
  expect(shape(posts.where((p) => p.rating.eq(1).or(p.rating.eq(2), p.author.startsWith("A"))))).toBe(
    "Post: (author startsWith or rating eq)",
  );
  expect(shape(posts.where((p) => p.rating.in([])))).toBe("Post: rating in");
  expect(shape(posts.filter(odata`not (Rating gt 3 or Old eq 'x')`))).toBe(
    "Post: filter (not ((Old eq or Rating gt)))",
  );
  expect(shape(context.query([Post, Comment]).whereKind(Comment, (c) => c.by.eq("B")))).toBe(
    "Comment | Post: where Comment (by eq)",
  );
});

test("a context warns of each shape once, and not at all where that is ignored", async () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const again = definePatterns({
    it: pattern(Post, { channel: anyText() }, (query, values) => query.where(values), {
      atMost: "partition scan",
    }),
  });
  const context = await contextWith({ patterns: again });
  for (const id of ["1", "2"]) await context.query(Post).where({ channel: "a", id }).toArray();
  await context.query(Post).where({ channel: "a" }).toArray();

  expect(warnings).toHaveBeenCalledTimes(1);
  expect(warnings.mock.calls[0]?.[0]).toContain("Post: channel eq and id eq");
  expect(warnings.mock.calls[0]?.[1]).toMatchObject({ code: "PARTITA_UNKNOWN_PATTERN" });
  const ignoring = await contextWith({ patterns: again, unknownPattern: "ignore" });
  await ignoring.query(Post).where({ channel: "a", author: "Ann" }).toArray();
  expect(warnings).toHaveBeenCalledTimes(1);
});

test("options that do not belong together are refused", async () => {
  await expect(contextWith({ unknownPattern: "error" })).rejects.toThrow(
    'new TableContext(storage, { unknownPattern }) takes effect only together with patterns: { patterns, unknownPattern: "error" }.',
  );
  await expect(contextWith({ patterns: {} as never })).rejects.toThrow(
    "new TableContext(storage, { patterns }) takes the result of definePatterns().",
  );
  await expect(contextWith({ patterns, unknownPattern: "erorr" as never })).rejects.toThrow(
    "Did you mean error?",
  );
});
