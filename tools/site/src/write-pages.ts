import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homePage } from "./home-page.ts";
import { withSiteLinks } from "./pages/links.ts";
import type { Page } from "./pages/page.ts";
import { withCodeGroups } from "./pages/tabs.ts";
import { playgroundPage, withPlayground, withPlaygroundLinks } from "./playground/playground-page.ts";
import { workspace } from "./workspace.ts";

/**
 * Writes the pages for VitePress, with their pictures.
 *
 * @param folder - the output folder; an unchanged page is not written again
 */
export function writePages(pages: readonly Page[], folder: string): void {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  for (const page of pages) {
    const linked = { ...page, text: withSiteLinks(page, bySource) };
    const text = withCodeGroups(withPlaygroundLinks(siteTextOf(linked)), page.source);
    write(join(folder, `${page.path}.md`), text);
  }
  for (const picture of globSync("docs/**/*.{svg,png}", { cwd: workspace }))
    cpSync(join(workspace, picture), join(folder, picture.slice("docs/".length)));
  cpSync(join(workspace, "tools/site/public"), join(folder, "public"), { recursive: true });
}

function siteTextOf(page: Page): string {
  if (page.path === "index") return homePage(page);
  return page.path === playgroundPage.path ? withPlayground(page) : page.text;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
