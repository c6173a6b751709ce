import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withCodeGroups } from "../../src/pages/tabs.ts";

test("bold names with a block of code each become tabs", () => {
  const text = [
    "Before",
    "<!-- tabs -->",
    "**One**",
    "```ts\nconst a = 1;\n```",
    "**Two**",
    "<!-- legacy decorators -->",
    "```json\n{}\n```",
    "<!-- /tabs -->",
    "**Not a tab**",
  ].join("\n\n");

  expect(withCodeGroups(text, "docs/a.md")).toBe(
    [
      "Before",
      "::: code-group",
      "```ts [One]\nconst a = 1;\n```",
      "```json [Two]\n{}\n```",
      ":::",
      "**Not a tab**",
    ].join("\n\n"),
  );
});

test("anything else between tabs is refused, so that nothing is lost", () => {
  const text = "<!-- tabs -->\n\n**One**\n\nSome words.\n\n```ts\n1;\n```\n\n<!-- /tabs -->\n";

  expect(() => withCodeGroups(text, "docs/a.md")).toThrow(/^docs\/a\.md: [^]*Some words\./);
});

test("decorators are the first tab of every guide, and classes without them the last", async () => {
  const docs = join(import.meta.dirname, "../../../../docs");
  const names = (await readdir(docs, { recursive: true })).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(names.map((name) => readFile(join(docs, name), "utf8")));
  const groups = texts.flatMap((text) =>
    Array.from(text.matchAll(/<!-- tabs -->([^]*?)<!-- \/tabs -->/g), ([, group = ""]) =>
      Array.from(group.matchAll(/^\*\*(.+)\*\*$/gm), ([, title = ""]) => title),
    ),
  );
  const ofForms = groups.filter((titles) => titles.includes("Without decorators"));

  expect(ofForms.length).toBeGreaterThan(4);
  for (const titles of ofForms) expect(titles.indexOf("Without decorators")).toBe(titles.length - 1);
});
