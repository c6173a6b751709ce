import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Page, summaryOf } from "./pages/page.ts";
import { workspace } from "./workspace.ts";

/** The description of a page for search engines and link previews: its first sentence, at most 200 characters. */
export function descriptionOf(page: Pick<Page, "text">): string {
  const summary = summaryOf(page).replaceAll(/[`*]/g, "");
  return summary.length <= 200 ? summary : `${summary.slice(0, 199).replace(/\s+\S*$/, "")}…`;
}

/** The file that "Edit this page" opens; undefined for a generated page. */
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
