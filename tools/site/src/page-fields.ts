import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Page, summaryOf } from "./pages/page.ts";
import { workspace } from "./workspace.ts";

/** What search engines and previews of links show of a page: its first sentence, at most 200 characters. */
export function descriptionOf(page: Pick<Page, "text">): string {
  const summary = summaryOf(page).replaceAll(/[`*]/g, "");
  return summary.length <= 200 ? summary : `${summary.slice(0, 199).replace(/\s+\S*$/, "")}…`;
}

/** The file that "Edit this page" leads to; undefined for a page that is made of something else. */
export const editPathOf = ({ source }: Page): string | undefined =>
  source.endsWith(".md") && existsSync(join(workspace, source)) ? source : undefined;

type Tag = [tag: string, attributes: Record<string, string>];

/** The preview of a link to a page, as Open Graph describes it. */
export function previewTags(site: string, title: string, description: string): Tag[] {
  const fields = { type: "article", site_name: site, title: title === "" ? site : title, description };
  const tags = Object.entries(fields).map(([name, content]): Tag => [
    "meta",
    { property: `og:${name}`, content },
  ]);
  return [...tags, ["meta", { name: "twitter:card", content: "summary" }]];
}
