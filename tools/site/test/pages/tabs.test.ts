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
