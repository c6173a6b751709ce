import { describe, expect, test } from "vitest";
import { homePage } from "../src/home-page.ts";
import { llmsText } from "../src/llms-text.ts";
import { type Page, summaryOf } from "../src/pages/page.ts";
import { readPages } from "../src/pages/read-pages.ts";
import { shortTitles, sidebarOrder } from "../src/sidebar-order.ts";
import { guideSidebars, type SidebarItem } from "../src/sidebar.ts";

const page = (path: string, text = `# ${path}\n\nAbout ${path}.\n`): Page => ({
  source: `docs/${path}.md`,
  path,
  text,
});
const index = page("index", "# Partita\n\nA few\nwords\n\nOne sentence.\n\n## More\n");

/** The links of a sidebar and of all groups in it, in order. */
const linksOf = (items: readonly SidebarItem[]): string[] =>
  items.flatMap(({ link, items: below = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(below)]);

describe("the sidebar", () => {
  test("has the listed pages in their order, those of a folder with their list first, and the others at the end", () => {
    const pages = ["z", "recipes/b", "new", "a", "recipes/index"].map((path) => page(path));
    const order = [
      { title: "First", paths: ["z", "a", "missing"] },
      { title: "Recipes", paths: ["recipes/"], within: "First" },
      { title: "Empty", paths: ["also-missing"] },
    ];

    const { "/": items = [] } = guideSidebars([index, ...pages], order);

    expect(items.map(({ text }) => text)).toEqual(["First", "More"]);
    expect(linksOf(items)).toEqual(["/z", "/a", "/recipes/", "/recipes/b", "/new"]);
  });

  test("of a group apart is its own, and the others have its first page", () => {
    const pages = ["a", "errors/one", "errors/index"].map((path) => page(path));
    const order = [
      { title: "Top", paths: ["a"] },
      { title: "Errors", paths: ["errors/"], within: "Top", isApart: true },
    ];

    const { "/": items = [], "/errors/": own = [] } = guideSidebars([index, ...pages], order);

    expect(linksOf(items)).toEqual(["/a", "/errors/"]);
    expect(linksOf(own)).toEqual(["/keys", "/errors/", "/errors/one"]);
  });

  test("has every page of the workspace, and nothing under More", () => {
    const pages = readPages();

    const { "/": items = [], ...own } = guideSidebars(pages, sidebarOrder);

    const links = new Set([items, ...Object.values(own)].flatMap(linksOf));
    const missing = pages
      .map(({ path }) => `/${path.replace(/\/index$/, "/")}`)
      .filter((link) => !links.has(link));
    expect(missing).toEqual(["/index"]);
    expect(items.map(({ text }) => text)).not.toContain("More");
  });

  test("lists and renames only pages that are there", () => {
    const paths = new Set(readPages().map(({ path }) => path));
    const listed = sidebarOrder.flatMap((group) => group.paths).filter((path) => !path.endsWith("/"));

    expect([...listed, ...Object.keys(shortTitles)].filter((path) => !paths.has(path))).toEqual([]);
  });
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
