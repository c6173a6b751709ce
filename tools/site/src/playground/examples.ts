import { readFileSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "../workspace.ts";
import type { Program } from "./program.ts";

/** A program that the playground offers. Guides link to it by its name. */
export interface Example {
  readonly name: string;
  readonly title: string;
  readonly program: Program;
}

/**
 * The examples of the guide "Designing tables". Their declarations and queries are cut out of it.
 *
 * @throws Error if the guide lacks them
 */
export function readExamples(): Example[] {
  const guide = readFileSync(join(workspace, "docs/designing-tables.md"), "utf8");
  const patterns = cut(guide, "const patterns = definePatterns({", "\n});");
  const undeclared = cut(guide, "context.query(Blog).where((b) => b.channel.eq(channel).and(b.rating", ");");
  const load = cut(guide, "context.query(Blog).where({ channel })", ".take(10)");
  const post = cut(guide, "class Post extends", "\n}) {}");
  const ofBucket = cut(guide, "const ofBucket = ", ";");
  const ofOneBucket = cut(guide, "context.query(Post).where(ofBucket)", ".take(10)");

  const blogModel = `${imports(["defineEntity", "int32", "text"], ["newestFirst"])}\n\n${blog}`;
  const patternModel = `${imports(["defineEntity", "int32", "text"], ["newestFirst"])}
import { anyText, definePatterns, listOf, pattern, withinDays } from "@partita/patterns";\n\n${blog}\n\n${patterns}`;
  const postModel = `${imports(["defineEntity", "text"], ["bucket", "newestFirst"])}\n\n${post}`;
  const channel = 'const channel = "Football";\n';
  return [
    {
      name: "latest-of-a-channel",
      title: "Access pattern: latest of a channel",
      program: {
        model: patternModel,
        query: `const since = new Date(Date.now() - 8 * 86_400_000);\n\npatterns["latest of a channel"].query(context, { channel: "Football", since }).take(10);`,
        rows: blogRows,
      },
    },
    {
      name: "of-several-channels",
      title: "Access pattern: several channels",
      program: {
        model: patternModel,
        query: `patterns["of several channels"].query(context, { channels: ["Chess", "Football"] });`,
        rows: blogRows,
      },
    },
    {
      name: "undeclared-query",
      title: "A query that no pattern declares",
      program: { model: blogModel, query: `${channel}\n${undeclared}`, rows: blogRows },
    },
    {
      name: "busy-partition",
      title: "The query of a load test",
      program: { model: blogModel, query: `${channel}\n${load};`, rows: blogRows },
    },
    {
      name: "one-bucket",
      title: "One of eight buckets",
      program: { model: postModel, query: `${ofBucket}\n\n${ofOneBucket};`, rows: postRows },
    },
    {
      name: "all-buckets",
      title: "All buckets, merged",
      program: {
        model: postModel,
        query: `context.query(Post).where({ channel: "Football" }).inRowKeyOrder().take(10);`,
        rows: postRows,
      },
    },
  ];
}

const imports = (core: readonly string[], keys: readonly string[]): string =>
  `import { ${core.join(", ")} } from "@partita/core";\nimport { ${keys.join(", ")} } from "@partita/core/keys";`;

/** The class of the front page, in the form that needs no compiler. */
const blog = `class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), rating: int32().default(0) },
}) {}`;

const blogRows = `{
  Blog: Array.from({ length: 15 }, (_, n) => ({
    channel: ["Chess", "Football", "Golf"][n % 3],
    postedOn: new Date(Date.now() - n * 86_400_000),
    text: \`Post \${n}\`,
    rating: n % 6,
  })),
}`;

const postRows = `{
  Post: Array.from({ length: 24 }, (_, n) => ({
    channel: "Football",
    author: ["Ann", "Bob", "Cem", "Dee", "Eli", "Fay"][n % 6],
    postedOn: new Date(Date.UTC(2026, 0, 1, 0, n)),
    text: "A goal",
  })),
}`;

/** A part of the guide, from its beginning to its end, both included. */
function cut(guide: string, from: string, to: string): string {
  const start = guide.indexOf(from);
  const end = guide.indexOf(to, start + from.length);
  if (start === -1 || end === -1)
    throw new Error(`docs/designing-tables.md has no example from "${from}" to "${to}".`);
  return guide.slice(start, end + to.length);
}
