import { expect, test } from "vitest";
import { descriptionOf, editPathOf, previewTags } from "../src/page-fields.ts";
import { publishedOf, versionText } from "../src/published.ts";

test("a page is described by its first sentence, without marks, in at most 200 characters", () => {
  expect(descriptionOf({ text: "# A\n\nCall `a.b` to **save**. And more.\n" })).toBe("Call a.b to save.");
  const long = descriptionOf({ text: `# A\n\n${"A word ".repeat(60)}\n` });
  expect(long).toMatch(/ (?:A|word)…$/);
  expect(long.length).toBeLessThanOrEqual(200);
});

test("only pages with a file of their own can be edited", () => {
  const page = (source: string) => ({ source, path: "a", text: "" });

  expect(editPathOf(page("docs/tutorial.md"))).toBe("docs/tutorial.md");
  expect(editPathOf(page("docs/errors/key.too-long.md"))).toBeUndefined();
  expect(editPathOf(page("docs/benchmarks/results.json"))).toBeUndefined();
});

test("previews have the page's title and description, and the home page the site's name", () => {
  const tags = Object.fromEntries(
    previewTags("Partita", "Keys", "About keys.").map(([, { property, name, content }]) => [
      property ?? name,
      content,
    ]),
  );

  expect(tags).toMatchObject({
    "og:site_name": "Partita",
    "og:title": "Keys",
    "og:description": "About keys.",
    "twitter:card": "summary",
  });
  expect(previewTags("Partita", "", "")).toContainEqual([
    "meta",
    { property: "og:title", content: "Partita" },
  ]);
});

test("the address is that of the manifest, and missing before it is set", () => {
  const repository = { type: "git", url: "git+https://example.org/a/b.git", directory: "packages/core" };

  expect(publishedOf(JSON.stringify({ version: "1.2.3", repository }))).toEqual({
    version: "1.2.3",
    address: "https://example.org/a/b",
  });
  expect(publishedOf('{"version":"0.0.0"}').address).toBeUndefined();
});

test("the version is shown, and whether there is none yet", () => {
  expect(versionText({ version: "1.2.3", address: undefined })).toBe("v1.2.3");
  expect(versionText({ version: "0.0.0", address: undefined })).toBe("0.0.0 (not published)");
});
