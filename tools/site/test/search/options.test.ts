import MiniSearch from "minisearch";
import { expect, test } from "vitest";
import { anchorsOf } from "../../src/pages/links.ts";
import { readPages } from "../../src/pages/read-pages.ts";
import { aliases } from "../../src/search/aliases.ts";
import { expected, wrongResults } from "../../src/search/first-results.ts";
import { miniSearchFor, pathOf } from "../../src/search/options.ts";

const base = "/partita/";

function indexOf(
  ...sections: readonly { id: string; title: string; titles: string[]; text: string }[]
): string {
  const index = new MiniSearch(miniSearchFor(base).options);
  index.addAll(sections);
  return JSON.stringify(index);
}

const section = (path: string, title: string, text = "", titles: string[] = []) => ({
  id: `${base}${path}`,
  title,
  titles,
  text,
});

test("every alias is for a page and a heading that are there", () => {
  const pages = new Map(readPages().map((page) => [page.path, page.text]));
  const missing = Object.keys(aliases).filter((target) => {
    const [path = "", heading] = target.split("#");
    const text = pages.get(path);
    return text === undefined || (heading !== undefined && !anchorsOf(text).includes(heading));
  });

  expect(missing).toEqual([]);
});

test("a section is found by its aliases before others that have the word in their title", () => {
  const saving = section("saving.html#delete-and-remove", "Delete and remove", "", ["Saving"]);
  const others = [
    section("files.html#destroy", "Destroy", "Destroy, destroy.", ["Files"]),
    section("reference/a.html#destroy", "destroy"),
  ];

  const search = MiniSearch.loadJSON(indexOf(...others, saving), {
    ...miniSearchFor(base).options,
    searchOptions: miniSearchFor(base).searchOptions,
  });
  expect(search.search("destroy").map(({ id }) => pathOf(String(id), base))).toEqual([
    "saving",
    "files",
    "reference/a",
  ]);
});

test("a first result that is another page is reported with what was found", () => {
  const index = indexOf(section("security.html", "Delete"));

  expect(wrongResults(index, new Set([expected["delete"]!]), base)).toContain(
    '"delete" finds security, and not saving',
  );
});

test.each([
  ["/partita/", "index"],
  ["/partita/recipes/", "recipes/index"],
  ["/partita/saving.html#update", "saving"],
])("the section %s is of the page %s", (id, path) => {
  expect(pathOf(id, base)).toBe(path);
});
