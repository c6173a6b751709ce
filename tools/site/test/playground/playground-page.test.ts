import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readExamples } from "../../src/playground/examples.ts";
import { playgroundPage, withPlayground, withPlaygroundLinks } from "../../src/playground/playground-page.ts";
import { workspace } from "../../src/workspace.ts";

test("blocks of code link to the examples that a comment names", () => {
  const text = "<!-- playground: one-bucket, all-buckets -->\n\n```ts\nlet a;\n```\n\nMore.\n";

  expect(withPlaygroundLinks(text)).toBe(
    "```ts\nlet a;\n```\n\nOpen in the playground: [One of eight buckets](/playground#one-bucket) · [All buckets, merged](/playground#all-buckets)\n\nMore.\n",
  );
});

test("a link to an example that does not exist is refused", () => {
  expect(() => withPlaygroundLinks("<!-- playground: nothing -->\n\n```ts\n```\n")).toThrow(
    'no example "nothing"',
  );
});

test("Designing tables links to every example", () => {
  const guide = readFileSync(join(workspace, "docs/designing-tables.md"), "utf8");

  const linked = withPlaygroundLinks(guide);

  for (const { name } of readExamples()) expect(linked).toContain(`(/playground#${name})`);
});

test("the page holds the examples for the component", () => {
  const [, front = ""] = withPlayground(playgroundPage).split("---\n");

  expect((JSON.parse(front) as { examples: object }).examples).toEqual(readExamples());
});
