import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  anyInteger,
  anyOf,
  anyText,
  definePatterns,
  listOf,
  optional,
  pattern,
  type PatternError,
  withinDays,
} from "@partita/patterns";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { assertPatterns, checkPatterns } from "../../src/index.ts";
import { Entry, Post } from "./bookings.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-patterns-"));
  vi.stubEnv("CI", "");
  vi.stubEnv("PARTITA_UPDATE_PATTERNS", "");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const latest = pattern(
  Post,
  { channel: anyText(), since: withinDays(31) },
  (query, { channel, since }) => query.where((p) => p.channel.eq(channel).and(p.postedOn.ge(since))),
  { atMost: "row range scan", requests: 1, partitions: 1, client: "nothing" },
);

/** What a check of one pattern refuses. */
async function refusal(declaration: Parameters<typeof definePatterns>[0][string]): Promise<PatternError> {
  const error: unknown = await assertPatterns(definePatterns({ it: declaration })).catch((e: unknown) => e);
  return error as PatternError;
}

test("patterns that hold are checked with every combination of corners and with samples", async () => {
  const [checked] = await assertPatterns(definePatterns({ latest }));

  expect(checked).toMatchObject({ name: "latest", failure: undefined });
  expect(checked?.checked).toBeGreaterThan(1_000);
  expect(checked?.plan).toEqual({
    type: "row range scan",
    rating: "good",
    requests: 1,
    partitions: 1,
    ranges: "PartitionKey eq … and RowKey le …",
    filter: undefined,
    isChecked: false,
  });
});

test("samples of text are no longer than their domain, whatever characters they have", async () => {
  const short = pattern(
    Post,
    { channel: anyText({ min: 1, max: 20 }), other: anyText({ min: 3, max: 3 }) },
    (query, { channel, other }) => query.where((p) => p.channel.in([channel, other])),
    { atMost: "partition scan", requests: 2 },
  );

  const [checked] = await assertPatterns(definePatterns({ short }));

  expect(checked?.failure).toBeUndefined();
});

test("a pattern that one value out of 1,000 turns into a scan is refused, and the value is named", async () => {
  const authors = Array.from({ length: 1_000 }, (_, i) => `author ${i}`);
  const error = await refusal(
    pattern(
      Post,
      { author: anyOf(authors) },
      (query, { author }) =>
        author === "author 617"
          ? query.where((p) => p.author.eq(author))
          : query.where((p) => p.channel.eq(author)),
      { atMost: "partition scan" },
    ),
  );

  expect(error.code).toBe("pattern.too-wide");
  expect(error.message).toContain(
    'The access pattern "it" becomes a table scan, and may be a partition scan at most, with { author: "author 617" }.',
  );
  expect(error.message).toContain("compare channel");
  expect(error.details).toMatchObject({ values: { author: "author 617" }, type: "table scan" });
});

test("one whole number out of 1,000 is found beside a parameter that has any text", async () => {
  const error = await refusal(
    pattern(
      Post,
      { channel: anyText({ min: 1 }), page: anyInteger({ min: 0, max: 999 }) },
      (query, { channel, page }) =>
        query.where((p) => (page === 421 ? p.channel.startsWith(channel) : p.channel.eq(channel))),
      { atMost: "partition scan" },
    ),
  );

  expect(error.code).toBe("pattern.too-wide");
  expect(error.details["values"]).toMatchObject({ page: 421 });
});

test("the empty text that makes a prefix a whole partition is named", async () => {
  class Tag extends Post {}
  const error = await refusal(
    pattern(
      Tag,
      { prefix: anyText() },
      (query, { prefix }) => query.where((p) => p.channel.startsWith(prefix)),
      { atMost: "partition range scan" },
    ),
  );

  expect(error.message).toContain('with { prefix: "" }');
});

test("a list that is too long for one request is shrunk to the shortest such list", async () => {
  const error = await refusal(
    pattern(
      Post,
      { channels: listOf(anyText({ min: 1, max: 20 }), { min: 1, max: 40 }) },
      (query, { channels }) => query.where((p) => p.channel.in(channels)),
      { atMost: "partition scan", requests: 5 },
    ),
  );

  expect(error.message).toContain("becomes 6 requests, and may be 5 at most");
  expect((error.details["values"] as { channels: string[] }).channels).toHaveLength(6);
});

test("a list that is too long for the store's filter shows that rows are checked on the client", async () => {
  const error = await refusal(
    pattern(
      Post,
      { channel: anyText(), ratings: listOf(anyInteger(), { max: 20 }) },
      (query, { channel, ratings }) => query.where((p) => [p.channel.eq(channel), p.rating.in(ratings)]),
      { atMost: "partition scan", client: "nothing" },
    ),
  );

  expect(error.message).toContain("on the client, and may check nothing there");
});

test("31 days may lie in three months, whatever the day of the check is", async () => {
  const spans = (partitions: number) =>
    pattern(
      Entry,
      { book: anyText(), from: withinDays(31), to: withinDays(31) },
      (query, { book, from, to }) => query.where((e) => e.book.eq(book).and(e.madeOn.between(from, to))),
      { atMost: "row range scan", partitions },
    );

  const [checked] = await assertPatterns(definePatterns({ span: spans(3) }));
  expect(checked?.plan.partitions).toBe(3);
  const error = await refusal(spans(2));
  expect(error.message).toContain("reads 3 partitions, and may read 2 at most");
});

test("an optional parameter is checked with and without a value", async () => {
  const error = await refusal(
    pattern(
      Post,
      { channel: optional(anyText()) },
      (query, { channel }) => (channel === undefined ? query : query.where((p) => p.channel.eq(channel))),
      { atMost: "partition scan" },
    ),
  );

  expect(error.message).toContain("becomes a table scan");
  expect(error.details["values"]).toEqual({ channel: undefined });
});

test("a value that cannot be planned is named, with the reason", async () => {
  const error = await refusal(
    pattern(
      Post,
      { rating: anyInteger({ min: 0, max: 3_000_000_000 }) },
      (query, { rating }) => query.where((p) => p.rating.eq(rating)),
      { atMost: "table scan" },
    ),
  );

  expect(error.code).toBe("pattern.not-planned");
  expect(error.message).toContain("with { rating: 2147483648 }: Post.rating is compared with a value");
});

test("every pattern that does not hold is in the message", async () => {
  const scan = (name: string) =>
    pattern(Post, {}, (query) => (query.filter as never as typeof query) && query, {
      atMost: "point",
      ...(name === "b" && { requests: 1 }),
    });
  const patterns = definePatterns({ first: scan("a"), latest, second: scan("b") });

  await expect(assertPatterns(patterns)).rejects.toThrow(/"first" becomes.*\n[^]*"second" becomes/);
  const checked = await checkPatterns(patterns);
  expect(checked.map(({ failure }) => failure?.code)).toEqual([
    "pattern.too-wide",
    undefined,
    "pattern.too-wide",
  ]);
});

test("the same seed finds the same value", async () => {
  const wide = pattern(
    Post,
    { channel: anyText(), page: anyInteger() },
    (query, { channel, page }) =>
      query.where((p) => (page % 7 === 3 ? p.channel.ge(channel) : p.channel.eq(channel))),
    { atMost: "partition scan" },
  );

  const [first, second] = [await refusal(wide), await refusal(wide)];
  expect(first.code).toBe("pattern.too-wide");
  expect(second.details).toEqual(first.details);
});

test("a lock file lists the plan of each pattern, without values, and passes once it is padded otherwise", async () => {
  const lock = join(folder, "access-patterns.md");
  const patterns = definePatterns({ "latest | of a channel": latest });
  await assertPatterns(patterns, { lock, samples: 9 });
  const text = await readFile(lock, "utf8");

  expect(text).toContain("| Pattern");
  expect(text).toMatch(
    /\| latest \\\| of a channel \| row range scan \| good +\| 1 +\| 1 +\| PartitionKey eq … and RowKey le … \| none +\| none +\|/,
  );
  await writeFile(lock, text.replaceAll(/ {2,}/g, " ").replaceAll("\n", "\r\n"));
  await assertPatterns(patterns, { lock, samples: 9 });
});

test("a plan that changed fails with what it was and what it is, and update writes it", async () => {
  const lock = join(folder, "access-patterns.md");
  await assertPatterns(definePatterns({ latest, gone: latest }), { lock, samples: 9 });
  const changed = definePatterns({
    latest: pattern(
      Post,
      { channel: anyText() },
      (query, { channel }) => query.where((p) => p.channel.eq(channel)),
      { atMost: "partition scan" },
    ),
    added: latest,
  });

  const error: unknown = await assertPatterns(changed, { lock, samples: 9 }).catch((e: unknown) => e);
  expect((error as PatternError).code).toBe("pattern.lock-changed");
  expect((error as PatternError).message.split("\n").slice(1)).toEqual([
    "  latest",
    "    - plan: row range scan",
    "    + plan: partition scan",
    "    - rating: good",
    "    + rating: fair",
    "    - ranges: PartitionKey eq … and RowKey le …",
    "    + ranges: PartitionKey eq …",
    "  - gone: row range scan, PartitionKey eq … and RowKey le …",
    "  + added: row range scan, PartitionKey eq … and RowKey le …",
    "If the change is intended, set PARTITA_UPDATE_PATTERNS=1 for one run, or pass { update: true }, and commit the file.",
  ]);
  await assertPatterns(changed, { lock, samples: 9, update: true });
  await assertPatterns(changed, { lock, samples: 9 });
  vi.stubEnv("PARTITA_UPDATE_PATTERNS", "1");
  await assertPatterns(definePatterns({ latest }), { lock, samples: 9 });
  vi.stubEnv("PARTITA_UPDATE_PATTERNS", "");
  await assertPatterns(definePatterns({ latest }), { lock, samples: 9 });
});

test("a missing lock file is written here, and is an error in CI", async () => {
  const lock = join(folder, "access-patterns.md");
  vi.stubEnv("CI", "true");

  await expect(assertPatterns(definePatterns({ latest }), { lock, samples: 9 })).rejects.toMatchObject({
    code: "pattern.lock-missing",
  });
  vi.stubEnv("CI", "");
  await assertPatterns(definePatterns({ latest }), { lock, samples: 9 });
  vi.stubEnv("CI", "true");
  await assertPatterns(definePatterns({ latest }), { lock, samples: 9 });
});

test("what assertPatterns does not take is named", async () => {
  const patterns = definePatterns({ latest });

  await expect(assertPatterns({ latest } as never)).rejects.toMatchObject({ code: "pattern.option" });
  await expect(assertPatterns(patterns, { lok: "a.md" } as never)).rejects.toThrow("Did you mean lock?");
  await expect(checkPatterns(patterns, { samples: -1 })).rejects.toThrow(
    "checkPatterns(patterns, { samples }) takes a whole number",
  );
});
