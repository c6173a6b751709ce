import type { AreaPages } from "../error-page.ts";

export const patternPages: AreaPages = {
  "pattern.lock-changed": {
    cause: "The plans of your access patterns differ from those in the lock file that is committed.",
    remedy:
      "If the change is intended, run the test on your machine, look at the difference, and commit the new file.",
    needs: "a committed lock file and CI",
    example: `
await assertPatterns(patterns, { lock: "access-patterns.md" }); // writes the file outside of CI`,
  },
  "pattern.lock-missing": {
    cause: "A test in CI checks access patterns against a lock file that is not there. CI does not write it.",
    remedy: "Run the test on your machine, which writes the file, and commit it.",
    needs: "CI",
    example: `
await assertPatterns(patterns, { lock: "access-patterns.md" });`,
  },
  "pattern.not-planned": {
    cause: "An access pattern cannot be planned with some values: its query throws an error for them.",
    remedy: "Correct the query, or narrow the domain of the parameter to values that it can have.",
    example: `
const patterns = definePatterns({
  "by slug": pattern(Blog, { slug: anyText() }, (query, { slug }) => query.where((b) => b.rating.eq(slug as never)), {
    atMost: "point",
  }),
});
await assertPatterns(patterns);`,
  },
  "pattern.option": {
    cause: "A function for access patterns got an option, a domain or a bound that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
anyText({ maxLenght: 20 } as never);`,
  },
  "pattern.too-wide": {
    cause:
      "An access pattern reads more than its bound allows with some values. The message has the values and the plan of the query.",
    remedy: "Narrow the query, as the message proposes, or raise the bound of the pattern.",
    example: `
const patterns = definePatterns({
  "by rating": pattern(
    Blog,
    { rating: anyInteger({ min: 1, max: 5 }) },
    (query, { rating }) => query.where((b) => b.rating.eq(rating)).scan(),
    { atMost: "partition scan" },
  ),
});
await assertPatterns(patterns);`,
  },
  "pattern.unknown": {
    cause:
      'A context with `unknownPattern: "error"` got a query that matches none of the declared access patterns.',
    remedy: 'Declare the query in `definePatterns()`, or ask by `patterns["name"].query(context, values)`.',
    example: `
const patterns = definePatterns({
  "by key": pattern(Blog, { slug: anyText() }, (query, { slug }) => query.where({ channel: "news", slug }), {
    atMost: "point",
  }),
});
const strict = new TableContext(storage, { patterns, unknownPattern: "error" });
await strict.query(Blog).where({ channel: "news" }).toArray();`,
  },
  "pattern.value": {
    cause: "You called an access pattern with a value that its parameter does not allow, or without one.",
    remedy:
      "Pass a value of the declared domain, or widen the domain in `pattern()`: then wider values are checked too.",
    example: `
const patterns = definePatterns({
  "by channel": pattern(Blog, { channel: anyOf(["news", "sport"]) }, (query, values) => query.where(values), {
    atMost: "partition scan",
  }),
});
patterns["by channel"].query(context, { channel: "music" as never });`,
  },
};
