import { describe, expect, test } from "vitest";
import { brokenLinks, withSiteLinks } from "../../src/pages/links.ts";
import type { Page } from "../../src/pages/page.ts";
import { readPages } from "../../src/pages/read-pages.ts";

const page = (source: string, path: string, text: string): Page => ({ source, path, text });
test("no link of a guide, a README or an example leads nowhere", () => {
  const pages = readPages();

  expect(brokenLinks(pages)).toEqual([]);
  expect(pages.length).toBeGreaterThan(30);
});

describe("a link that leads nowhere is found", () => {
  const other = page("docs/other.md", "other", "# Other\n\n## What's *new*?\n\n## Same\n\n## Same\n");
  test.each([
    ["a file that is missing", "[x](missing.md)", ["missing.md"]],
    ["a heading that is missing", "[x](other.md#missing)", ["other.md#missing"]],
    ["a heading of the page itself", "[x](#missing)", ["#missing"]],
    ["a heading that has punctuation", "[x](other.md#whats-new)", []],
    ["the second heading of one name", "[x](other.md#same-1)", []],
    ["a folder of the workspace", "[x](../packages/core)", []],
    ["another site", "[x](https://example.org/missing)", []],
    ["code", "```md\n[x](missing.md)\n```", []],
  ])("%s", (_title, text, broken) => {
    const from = page("docs/from.md", "from", text);

    expect(brokenLinks([from, other])).toEqual(broken.map((target) => `docs/from.md: ${target}`));
  });
});

test("links lead to pages of the site, and what is no page becomes text", () => {
  const from = page(
    "docs/deep/from.md",
    "deep/from",
    "[a](../other.md#x) [`b`](../../packages/core) [c](../../package.json) [d](#e) ![f](g.svg)\n",
  );
  const others = [page("docs/other.md", "other", ""), page("packages/core/README.md", "packages/core", "")];
  const pages = new Map([from, ...others].map((each) => [each.source, each]));

  expect(withSiteLinks(from, pages)).toBe(
    "[a](/other.md#x) [`b`](/packages/core.md) c [d](#e) ![f](g.svg)\n",
  );
});
