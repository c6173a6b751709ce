import MiniSearch from "minisearch";
import { miniSearchFor, pathOf } from "./options.ts";

/** Searches, and the page that must come first for each. */
export const expected: Readonly<Record<string, string>> = {
  delete: "saving",
  remove: "saving",
  create: "saving",
  update: "saving",
  transaction: "saving",
  batch: "saving",
  page: "queries",
  pagination: "queries",
  circular: "decorators-and-forms",
  retry: "retries",
  unique: "indexes",
  connect: "connect",
  conflict: "conflicts",
  etag: "conflicts",
  sort: "recipes/sort-entities",
  ttl: "recipes/rows-that-expire",
  migrate: "kinds-and-versions",
  backup: "moving-data",
  error: "errors/index",
};

/**
 * Runs all searches and describes each one that has another page first.
 *
 * @param index - as VitePress writes it: JSON
 * @param pages - the paths of the site's pages; a search for a page that isn't there is left out
 */
export function wrongResults(index: string, pages: ReadonlySet<string>, base: string): string[] {
  const { options, searchOptions } = miniSearchFor(base);
  const search = MiniSearch.loadJSON(index, { ...options, searchOptions });
  return Object.entries(expected).flatMap(([query, page]) => {
    if (!pages.has(page)) return [];
    const found = search.search(query).map(({ id }) => pathOf(String(id), base));
    return found[0] === page ? [] : [`"${query}" finds ${found.slice(0, 3).join(", ")}, and not ${page}`];
  });
}
