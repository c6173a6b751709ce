import { openingOf } from "./home-page.ts";
import { type Page, summaryOf, titleOf } from "./pages/page.ts";
import type { Group } from "./sidebar-order.ts";
import { groupPages } from "./sidebar.ts";

/**
 * The text for language models, in the form of https://llmstxt.org: a description of Partita, and a line for each page. Of
 * groups that are apart, such as errors, it has only the first page, which lists the others.
 *
 * @param base - where the site is: `/`, `/partita/`
 */
export function llmsText(pages: readonly Page[], order: readonly Group[], base: string): string {
  const home = pages.find(({ path }) => path === "index");
  if (home === undefined) throw new Error("There is no docs/index.md.");
  const { name, motto, sentence } = openingOf(home);
  const groups = groupPages(pages, order).flatMap(({ group, pages: inside }) => [
    `## ${group.title}`,
    (group.isApart === true ? inside.slice(0, 1) : inside)
      .map((page) => `- [${titleOf(page)}](${base}${page.path}.md): ${summaryOf(page)}`)
      .join("\n"),
  ]);
  return [`# ${name}`, `> ${motto}. ${sentence}`, ...groups].join("\n\n") + "\n";
}

/** All guides in one text, without examples, errors, commands and the project's own pages. */
export function llmsFullText(pages: readonly Page[], order: readonly Group[]): string {
  const left = ["Examples", "Errors", "Commands", "Project"];
  const groups = groupPages(pages, order).filter(({ group }) => !left.includes(group.title));
  return (
    groups
      .flatMap(({ pages: inside }) =>
        inside.flatMap(({ path, text }) => (path === "benchmarks/measurements" ? [] : text.trim())),
      )
      .join("\n\n---\n\n") + "\n"
  );
}
