import { describe, expect, test } from "vitest";
import { homePage } from "../src/home-page.ts";
import { llmsText } from "../src/llms-text.ts";
import { type Page, summaryOf } from "../src/pages/page.ts";
import { readPages } from "../src/pages/read-pages.ts";
import { sidebarOrder } from "../src/sidebar-order.ts";
import { guideSidebar } from "../src/sidebar.ts";

const page = (path: string, text = `# ${path}\n\nAbout ${path}.\n`): Page => ({
  source: `docs/${path}.md`,
  path,
  text,
});
const index = page("index", "# Partita\n\nA few\nwords\n\nOne sentence.\n\n## More\n");

test("the sidebar has the listed pages in their order, those of a folder together, and the others at the end", () => {
  const pages = ["z", "commands/b", "new", "a", "commands/a"].map((path) => page(path));
  const order = [
    { title: "First", paths: ["z", "a", "missing"] },
    { title: "Commands", paths: ["commands/"] },
    { title: "Empty", paths: ["also-missing"] },
  ];

  const links = guideSidebar([index, ...pages], order).map(({ text, items = [] }) => [
    text,
    ...items.map(({ link }) => link),
  ]);

  expect(links).toEqual([
    ["First", "/z", "/a"],
    ["Commands", "/commands/b", "/commands/a"],
    ["More", "/new"],
  ]);
});

test("every page of the workspace is in the sidebar once", () => {
  const pages = readPages();

  const links = guideSidebar(pages, sidebarOrder).flatMap(({ items = [] }) => items.map(({ link }) => link));

  expect(links).toHaveLength(pages.length - 1);
  expect(new Set(["/index", ...links])).toEqual(new Set(pages.map(({ path }) => `/${path}`)));
});

describe("the front page", () => {
  test("begins with the heading and two paragraphs of the guide", () => {
    const [, front = "", rest] = /^---\n(.*)\n---\n\n([\s\S]*)$/.exec(homePage(index)) ?? [];

    expect(JSON.parse(front)).toMatchObject({
      layout: "home",
      hero: { name: "Partita", text: "A few words", tagline: "One sentence." },
    });
    expect(rest).toBe("## More\n");
  });

  test("cannot be made of a guide that begins otherwise", () => {
    expect(() => homePage(page("index", "# Partita\n\n## At once\n"))).toThrow("docs/index.md must begin");
  });
});

test("llms.txt lists each page with one sentence about it", () => {
  const guide = page(
    "guide",
    "# `Guide` to *it*\n\n```ts\nconst a = 1;\n```\n\nIt [does](x.md) a\nthing. And more.\n",
  );

  expect(llmsText([index, guide], [{ title: "Begin", paths: ["guide"] }], "/partita/")).toBe(
    "# Partita\n\n> A few words. One sentence.\n\n## Begin\n\n- [Guide to *it*](/partita/guide.md): It does a thing.\n",
  );
});

test("every page of the workspace has a sentence about it", () => {
  expect(
    readPages()
      .filter((each) => summaryOf(each) === "")
      .map(({ path }) => path),
  ).toEqual([]);
});
